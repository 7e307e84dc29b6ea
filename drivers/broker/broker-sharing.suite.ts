import assert from "node:assert/strict";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import type { Broker, Delivery, EventHandler } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/basics";
import { type BrokerFixture, eventOf, ids, Recorder } from "./broker-fixture.ts";

/** Tests of several consumers and processes, and their shutdown. */
export function sharingTests(fixture: () => BrokerFixture): void {
  test("two processes share a queue: each event is handled once, and both handle events", async () => {
    const { broker, open, fresh } = fixture();
    const { prefix, type } = fresh();
    const other = await open();
    const mine = new Recorder();
    const theirs = new Recorder();
    const bothHadOne = Promise.all([mine.count(1), theirs.count(1)]);
    const gate = async (): Promise<void> => {
      await bothHadOne;
    };
    await broker.consume({ prefix, types: [type], prefetch: 1 }, mine.before(gate));
    await other.consume({ prefix, types: [type], prefetch: 1 }, theirs.before(gate));
    const events = Array.from({ length: 40 }, (_, number) => eventOf(type, `app${number}`));
    await broker.publish(events);
    await eventually(async () => assert.equal(mine.deliveries.length + theirs.deliveries.length, 40));
    assert.deepEqual([...mine.ids(), ...theirs.ids()].sort(), ids(events).sort());
  });

  test("events of a subject are delivered in order, one at a time, also with retries", async () => {
    const { broker, fresh } = fixture();
    const { prefix, type } = fresh();
    await keepsOrder(broker, type, async (handler) => {
      await broker.consume({ prefix, types: [type] }, handler);
    });
  });

  test("order is kept with several processes too", async (t) => {
    const { broker, open, fresh, harness } = fixture();
    if (!harness.ordersAcrossProcesses) return t.skip("this driver has no order across processes");
    const { prefix, type } = fresh();
    const other = await open();
    await keepsOrder(broker, type, async (handler) => {
      await broker.consume({ prefix, types: [type] }, handler);
      await other.consume({ prefix, types: [type] }, handler);
    });
  });

  test("a consumer holds at most its prefetch", async () => {
    const { broker, fresh } = fixture();
    const { prefix, type } = fresh();
    let running = 0;
    let most = 0;
    const release = Promise.withResolvers<void>();
    const recorder = new Recorder(async () => {
      running += 1;
      most = Math.max(most, running);
      await release.promise;
      running -= 1;
    });
    await broker.consume({ prefix, types: [type], prefetch: 3 }, recorder.handler);
    await broker.publish(Array.from({ length: 9 }, (_, number) => eventOf(type, `app${number}`)));
    await recorder.count(3);
    release.resolve();
    await recorder.count(9);
    assert.equal(most, 3);
  });

  test("events of a killed consumer are delivered to another", async () => {
    const { broker, fresh, harness } = fixture();
    const { prefix, type } = fresh();
    const child = harness.spawnHangingConsumer({ prefix, types: [type] });
    assert.ok(child.stdout);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, "consuming");
    const event = eventOf(type);
    await broker.publish([event]);
    assert.equal((await lines.next()).value, event.id);
    child.kill("SIGKILL");
    await once(child, "exit");
    const recorder = new Recorder();
    await broker.consume({ prefix, types: [type] }, recorder.handler);
    await recorder.count(1);
    assert.deepEqual([recorder.ids(), recorder.deliveries[0]?.attempt], [[event.id], 2]);
  });

  test("stop waits for handlers, and returns unfinished events to other consumers", async () => {
    const { broker, open, fresh } = fixture();
    const { prefix, type } = fresh();
    const stopping = await open();
    const [quick, stuck] = [eventOf(type, "quick"), eventOf(type, "stuck")];
    const never = Promise.withResolvers<void>();
    const quickMayEnd = Promise.withResolvers<void>();
    const recorder = new Recorder(({ event }) => (event.id === quick.id ? quickMayEnd.promise : never.promise));
    const bothBegun = Promise.withResolvers<void>();
    let begun = 0;
    await stopping.consume({ prefix, types: [type] }, (delivery) => {
      begun += 1;
      if (begun === 2) bothBegun.resolve();
      return recorder.handler(delivery);
    });
    await broker.publish([quick, stuck]);
    await bothBegun.promise;
    const stopped = stopping.stop();
    quickMayEnd.resolve();
    await stopped;
    never.resolve();
    const marker = eventOf(type, "stuck");
    const next = new Recorder();
    await broker.consume({ prefix, types: [type] }, next.handler);
    await broker.publish([marker]);
    await next.count(2);
    assert.deepEqual(next.ids(), [stuck.id, marker.id]);
  });
}

/** Publishes events of three subjects, of which each tenth fails once, and checks what the handlers of `consume` receive. */
async function keepsOrder(broker: Broker, type: string, consume: (handler: EventHandler) => Promise<void>): Promise<void> {
  const handled = new Map<string, string[]>();
  const busy = new Set<string>();
  let failures = 0;
  const handler = async ({ event, attempt }: Delivery): Promise<void> => {
    assert.ok(!busy.has(event.subject), "two events of one subject at once");
    busy.add(event.subject);
    await new Promise((resolve) => setImmediate(resolve));
    busy.delete(event.subject);
    if (Number(event.body["number"]) % 10 === 0 && attempt === 1) {
      failures += 1;
      throw new Error("once more");
    }
    handled.set(event.subject, [...(handled.get(event.subject) ?? []), event.id]);
  };
  const recorder = new Recorder(handler);
  await consume(recorder.handler);
  const events = Array.from({ length: 60 }, (_, number) => ({
    ...eventOf(type, `app${number % 3}`),
    body: { number },
  }));
  await broker.publish(events.slice(0, 30));
  await broker.publish(events.slice(30));
  await recorder.count(66);
  await eventually(async () => assert.equal([...handled.values()].flat().length, 60));
  assert.equal(failures, 6);
  for (const subject of ["app0", "app1", "app2"]) {
    assert.deepEqual(handled.get(subject), ids(events.filter((event) => event.subject === subject)));
  }
}
