import assert from "node:assert/strict";
import { test } from "node:test";
import { type Logger, silentLogger } from "@appserver/kernel";
import { FakeClock } from "@appserver/testing/kit";
import type { BreakerChange } from "../domain/circuit-breaker.ts";
import type { CircuitChange } from "../ports.ts";
import { CircuitAnnouncer } from "./circuit-announcer.ts";

const opened: BreakerChange = { state: "OPEN", opening: { reason: "5 failures in a row", failures: 5, requests: 5 } };
const closed: BreakerChange = { state: "CLOSED", opening: undefined };
const appOf = (name: string) => ({ id: `id of ${name}`, name, version: "1.0.0" });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A store whose writes end when the test ends them. */
function announcing(logger: Logger = silentLogger) {
  const clock = new FakeClock();
  const writes: { readonly changes: readonly CircuitChange[]; readonly end: PromiseWithResolvers<void> }[] = [];
  const append = (changes: readonly CircuitChange[]): Promise<void> => {
    const end = Promise.withResolvers<void>();
    writes.push({ changes, end });
    return end.promise;
  };
  const announcer = new CircuitAnnouncer({ circuitEvents: { append }, clock, logger });
  const written = () =>
    writes.map(({ changes }) => changes.map(({ app, opening }) => `${app.name} ${opening ? "opened" : "closed"}`).join());
  return { announcer, writes, written, clock };
}

test("openings and closings are announced, later than the call, with their time; probes are not", async () => {
  const { announcer, writes, written, clock } = announcing();
  const at = new Date(clock.now());
  announcer.changed(appOf("a"), opened);
  announcer.changed(appOf("b"), { state: "HALF_OPEN", opening: undefined });
  announcer.changed(appOf("b"), { state: "OPEN", opening: undefined });
  announcer.changed(appOf("c"), closed);
  assert.deepEqual(written(), [], "the request that caused the change does not wait");
  await turn();
  assert.deepEqual(written(), ["a opened,c closed"]);
  assert.deepEqual(writes[0]?.changes[0], { app: appOf("a"), at, opening: opened.opening });
});

test("while a write does not end, only the newest change of each app waits", async () => {
  const { announcer, writes, written } = announcing();
  announcer.changed(appOf("a"), opened);
  await turn();
  for (let i = 0; i < 1_000; i++) {
    for (const name of ["a", "b"]) announcer.changed(appOf(name), opened);
    announcer.changed(appOf("a"), closed);
    if (i % 100 === 0) await turn();
  }
  assert.deepEqual(written(), ["a opened"]);
  writes[0]?.end.resolve();
  await turn();
  await turn();
  assert.deepEqual(written(), ["a opened", "b opened,a closed"]);
  writes[1]?.end.resolve();
  await turn();
  await turn();
  assert.equal(writes.length, 2);
});

test("a failed write is logged as a warning and lost; the next change is announced again", async () => {
  const warnings: object[] = [];
  const { announcer, writes, written } = announcing({ ...silentLogger, warn: (fields: object) => void warnings.push(fields) });
  const away = new Error("no database");
  announcer.changed(appOf("a"), opened);
  await turn();
  writes[0]?.end.reject(away);
  await turn();
  assert.deepEqual(warnings, [{ err: away, apps: ["a"] }]);
  announcer.changed(appOf("a"), closed);
  await turn();
  assert.deepEqual(written(), ["a opened", "a closed"]);
});

test("stopping waits for a write, but not for a database that does not respond", async () => {
  const { announcer, writes, clock } = announcing();
  await announcer.stop();
  announcer.changed(appOf("a"), opened);
  await turn();
  let hasStopped = false;
  const stopping = announcer.stop().then(() => {
    hasStopped = true;
  });
  await turn();
  assert.equal(hasStopped, false);
  writes[0]?.end.resolve();
  await stopping;
  announcer.changed(appOf("a"), closed);
  await turn();
  const givingUp = announcer.stop();
  await clock.advance(1_000);
  await givingUp;
});
