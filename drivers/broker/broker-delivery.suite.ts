import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventEnvelope } from "@appserver/kernel/ports";
import { type BrokerFixture, eventOf, ids, Recorder } from "./broker-fixture.ts";

/** Tests of the delivery from publisher to handler. */
export function deliveryTests(fixture: () => BrokerFixture): void {
  test("an event arrives unchanged in every queue bound to its type", async () => {
    const { broker, fresh } = fixture();
    const { prefix, type } = fresh();
    const event: EventEnvelope = {
      ...eventOf(type, "com.example.notes"),
      sequence: 7,
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      correlationId: "c",
      causationId: "d",
      actor: "user:alice",
      body: { text: 'ünï "quoted" \u0000 \u2028', nested: { list: [1, null, true, 1.5] } },
    };
    const first = new Recorder();
    const second = new Recorder();
    await broker.consume({ prefix, types: [type] }, first.handler);
    await broker.consume({ prefix: `other.${prefix}`, types: [type] }, second.handler);
    await broker.publish([event, eventOf(`${type}.else`)]);
    await first.count(1);
    await second.count(1);
    assert.deepEqual(first.deliveries, [{ event, attempt: 1, queue: prefix + type }]);
    assert.deepEqual(second.deliveries, [{ event, attempt: 1, queue: `other.${prefix}${type}` }]);
  });

  test("a queue stays bound without consumers, also after restarts of every client", async () => {
    const { open, fresh } = fixture();
    const { prefix, type } = fresh();
    const declaring = await open();
    await (await declaring.consume({ prefix, types: [type] }, async () => {})).close();
    await declaring.stop();
    const events = [1, 2, 3].map(() => eventOf(type));
    const publishing = await open();
    await publishing.publish(events);
    await publishing.stop();
    const consuming = await open();
    const recorder = new Recorder();
    await consuming.consume({ prefix, types: [type] }, recorder.handler);
    await recorder.count(3);
    assert.deepEqual(recorder.ids(), ids(events));
    await consuming.stop();
  });

  test("an acknowledged event is not delivered again", async () => {
    const { broker, fresh } = fixture();
    const { prefix, type } = fresh();
    const [event, marker] = [eventOf(type), eventOf(type)];
    const first = new Recorder();
    const subscription = await broker.consume({ prefix, types: [type] }, first.handler);
    await broker.publish([event]);
    await first.count(1);
    await subscription.close();
    const second = new Recorder();
    await broker.consume({ prefix, types: [type] }, second.handler);
    await broker.publish([marker]);
    await second.count(1);
    assert.deepEqual(second.ids(), [marker.id]);
  });

  test("publishing an empty list succeeds, and the client responds to pings", async () => {
    const { broker } = fixture();
    await broker.publish([]);
    await broker.ping();
  });
}
