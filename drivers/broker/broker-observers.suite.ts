import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "@appserver/testing/basics";
import { type BrokerFixture, eventOf, ids } from "./broker-fixture.ts";

/** Tests of the fan-out to every process. */
export function observerTests(fixture: () => BrokerFixture): void {
  test("observers in every process receive every event of their types, in order, and none from before", async () => {
    const { broker, open, fresh } = fixture();
    const { type } = fresh();
    const other = await open();
    const earlier = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()] as const;
    await broker.observe([type], earlier[0].resolve);
    await other.observe([type], earlier[1].resolve);
    await broker.publish([eventOf(type)]);
    await Promise.all(earlier.map(({ promise }) => promise));
    const heard: [string[], string[]] = [[], []];
    await broker.observe([type, "another.type"], ({ id }) => heard[0].push(id));
    const subscription = await other.observe([type], ({ id }) => heard[1].push(id));
    const large = { ...eventOf(type), body: { text: "x".repeat(100_000) } };
    const events = [eventOf(type), large, ...Array.from({ length: 50 }, () => eventOf(type))];
    await broker.publish([eventOf(`${type}.else`), ...events.slice(0, 2)]);
    await other.publish(events.slice(2));
    await eventually(async () => assert.deepEqual(heard, [ids(events), ids(events)]));
    await subscription.close();
    const last = eventOf(type);
    await broker.publish([last]);
    await eventually(async () => assert.equal(heard[0].at(-1), last.id));
    assert.equal(heard[1].length, events.length);
  });

  test("an observer that throws does not prevent delivery to the others", async () => {
    const { broker, fresh } = fixture();
    const { type } = fresh();
    const heard = Promise.withResolvers<void>();
    await broker.observe([type], () => {
      throw new Error("bad observer");
    });
    await broker.observe([type], () => heard.resolve());
    await broker.publish([eventOf(type)]);
    await heard.promise;
  });
}
