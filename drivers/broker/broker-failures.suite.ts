import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "@appserver/testing/basics";
import { type BrokerFixture, eventOf, ids, Recorder } from "./broker-fixture.ts";

/** Tests of rejecting handlers: retries, dead letters, and effects on other subjects. */
export function failureTests(fixture: () => BrokerFixture): void {
  test("a rejected event is delivered again with the attempt counted, then succeeds", async () => {
    const { broker, fresh } = fixture();
    const { prefix, type } = fresh();
    const recorder = new Recorder(async ({ attempt }) => {
      if (attempt < 3) throw new Error("not yet");
    });
    await broker.consume({ prefix, types: [type] }, recorder.handler);
    await broker.publish([eventOf(type)]);
    await recorder.count(3);
    assert.deepEqual(
      recorder.deliveries.map(({ attempt }) => attempt),
      [1, 2, 3],
    );
  });

  test("after the last retry an event is a dead letter, and its subject continues", async () => {
    const { broker, fresh } = fixture();
    const { prefix, type, queue } = fresh();
    const [poison, next] = [eventOf(type, "same"), eventOf(type, "same")];
    const recorder = new Recorder(async ({ event }) => {
      if (event.id === poison.id) throw new Error("cannot digest");
    });
    await broker.consume({ prefix, types: [type], maxRetries: 2 }, recorder.handler);
    const published = Date.now();
    await broker.publish([poison, next]);
    await recorder.until((delivery) => delivery.event.id === next.id);
    assert.deepEqual(recorder.ids(), [poison.id, poison.id, poison.id, next.id]);
    const [letter, ...others] = await broker.deadLetters(queue, 10);
    assert.ok(letter);
    assert.equal(others.length, 0);
    assert.deepEqual([letter.event, letter.queue, letter.attempts, letter.error], [poison, queue, 3, "cannot digest"]);
    assert.ok(Math.abs(letter.at.getTime() - published) < 60_000);
  });

  test("one failing event among a hundred: 99 succeed, one dead letter", async () => {
    const { broker, fresh } = fixture();
    const { prefix, type, queue } = fresh();
    const events = Array.from({ length: 100 }, (_, number) => eventOf(type, `app${number % 7}`));
    const poison = events[42]?.id;
    const succeeded: string[] = [];
    const recorder = new Recorder(async ({ event }) => {
      if (event.id === poison) throw new Error("poison");
      succeeded.push(event.id);
    });
    await broker.consume({ prefix, types: [type], maxRetries: 1 }, recorder.handler);
    await broker.publish(events);
    await recorder.count(101);
    assert.deepEqual(succeeded.sort(), ids(events.filter(({ id }) => id !== poison)).sort());
    assert.deepEqual(
      (await broker.deadLetters(queue, 10)).map(({ event }) => event.id),
      [poison],
    );
  });

  test("dead letters are listed oldest first, up to the limit", async () => {
    const { broker, fresh } = fixture();
    const { prefix, type, queue } = fresh();
    const events = [1, 2, 3].map(() => eventOf(type, "same"));
    const recorder = new Recorder(async () => {
      throw new Error("always");
    });
    await broker.consume({ prefix, types: [type], maxRetries: 0 }, recorder.handler);
    await broker.publish(events);
    await eventually(async () => assert.equal((await broker.deadLetters(queue, 10)).length, 3));
    assert.deepEqual(
      (await broker.deadLetters(queue, 2)).map(({ event }) => event.id),
      ids(events.slice(0, 2)),
    );
  });

  test("a failing subject does not delay the others", async () => {
    const { broker, fresh } = fixture();
    const { prefix, type } = fresh();
    const recorder = new Recorder(async ({ event }) => {
      if (event.subject === "bad") throw new Error("bad");
    });
    await broker.consume({ prefix, types: [type], prefetch: 1, maxRetries: 3 }, recorder.handler);
    const bad = Array.from({ length: 5 }, () => eventOf(type, "bad"));
    const good = Array.from({ length: 5 }, (_, number) => eventOf(type, `good${number}`));
    await broker.publish([...bad, ...good]);
    await recorder.until(() => good.every(({ id }) => recorder.ids().includes(id)));
    // All retries of all failing events would be twenty deliveries.
    assert.ok(recorder.ids().filter((id) => bad.some((event) => event.id === id)).length < 20);
  });
}
