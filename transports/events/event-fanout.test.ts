import assert from "node:assert/strict";
import { test } from "node:test";
import type { Broker, EventEnvelope } from "@appserver/kernel/ports";
import { EventFanout, SubscriptionOverflowError } from "./event-fanout.ts";

/** A local broker that can only observe. */
class LocalBroker implements Pick<Broker, "observe"> {
  emit: (event: EventEnvelope) => void = () => {};
  async observe(_types: readonly string[], handler: (event: EventEnvelope) => void): Promise<{ close(): Promise<void> }> {
    this.emit = handler;
    return { close: async () => {} };
  }
}

function event(type: string, subject: string): EventEnvelope {
  return { id: subject, type, source: "/appserver/test", subject, time: "2026-01-01T00:00:00.000Z", body: {} };
}

async function started(): Promise<{ broker: LocalBroker; fanout: EventFanout }> {
  const broker = new LocalBroker();
  const fanout = new EventFanout(broker, ["app.installed", "app.uninstalled"]);
  await fanout.start();
  return { broker, fanout };
}

test("each subscriber receives matching events in order, starting at its subscription", async () => {
  const { broker, fanout } = await started();
  broker.emit(event("app.installed", "before"));
  const all = fanout.subscribe(["app.installed", "app.uninstalled"]);
  const some = fanout.subscribe(["app.installed"], { filter: ({ subject }) => subject === "b" });
  for (const subject of ["a", "b"]) broker.emit(event("app.installed", subject));
  broker.emit(event("app.uninstalled", "a"));
  const seen = [await all.next(), await all.next(), await all.next()].map(({ value }) => `${value?.type} ${value?.subject}`);
  assert.deepEqual(seen, ["app.installed a", "app.installed b", "app.uninstalled a"]);
  assert.equal((await some.next()).value?.subject, "b");
});

test("ten events are buffered; the eleventh ends a subscriber that does not read, and no other", async () => {
  const { broker, fanout } = await started();
  const slow = fanout.subscribe(["app.installed"]);
  const patient = fanout.subscribe(["app.installed"]);
  for (let index = 0; index < 10; index += 1) broker.emit(event("app.installed", String(index)));
  assert.equal((await patient.next()).value?.subject, "0");
  broker.emit(event("app.installed", "10"));
  await assert.rejects(slow.next(), (error) => error instanceof SubscriptionOverflowError);
  assert.equal((await slow.next()).done, true);
  assert.equal((await patient.next()).value?.subject, "1");
});

test("an abort, a return and a stop end pending reads", async () => {
  const { fanout } = await started();
  const abort = new AbortController();
  const aborted = fanout.subscribe(["app.installed"], { signal: abort.signal });
  const returned = fanout.subscribe(["app.installed"]);
  const stopped = fanout.subscribe(["app.installed"]);
  const waiting = [aborted, returned, stopped].map((subscription) => subscription.next());
  abort.abort();
  await returned.return?.();
  await fanout.stop();
  for (const result of await Promise.all(waiting)) assert.equal(result.done, true);
});

test("subscribing to a type that is not observed throws", async () => {
  const { fanout } = await started();
  assert.throws(() => fanout.subscribe(["app.exploded"]), /app\.exploded/);
});
