import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import type { AuditRecord, TimedAuditRecord } from "@appserver/kernel/ports";
import { FakeClock } from "@appserver/testing/kit";
import { AuditRecorder } from "../src/workers/audit-recorder.ts";

const call = (target: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  actor: "user:alice",
  action: "agent.call",
  target,
  outcome: "success",
  details: {},
  ...more,
});

function scene(append?: (records: readonly TimedAuditRecord[]) => Promise<void>) {
  const clock = new FakeClock();
  const batches: (readonly TimedAuditRecord[])[] = [];
  const take = append ?? (async (records) => void batches.push(records));
  const recorder = new AuditRecorder({ audit: { append: take }, clock, logger: silentLogger });
  recorder.start();
  return { clock, batches, recorder };
}

test("what is the same within a second is one entry with its number, at the time and in the trace of the first", async () => {
  const { clock, batches, recorder } = scene();
  await clock.advance(500);
  const at = new Date(clock.now());
  recorder.add(call("tool:apps", { traceId: "first" }));
  await clock.advance(100);
  recorder.add(call("tool:apps", { traceId: "second" }));
  recorder.add(call("tool:apps", { client: "said: editor" }));
  await clock.advance(400);
  recorder.add(call("tool:apps"));
  await clock.advance(5_000);
  await recorder.stop();
  const entries = batches.map((batch) => batch.map(({ client, details, traceId }) => [client, details, traceId]));
  assert.deepEqual(entries, [
    [
      [undefined, { calls: 2 }, "first"],
      ["said: editor", {}, undefined],
    ],
    [[undefined, {}, undefined]],
  ]);
  assert.deepEqual(batches[0]?.[0]?.at, at);
});

test("one actor does not displace the entries of others, and all of its calls are counted", async () => {
  const { batches, recorder } = scene();
  for (let number = 0; number < 5_000; number++) recorder.add(call("tool:app", { details: { app: `a${number}` } }));
  recorder.add(call("tool:apps", { actor: "user:bob" }));
  await recorder.stop();
  const entries = batches.flat();
  assert.equal(entries.length, 22);
  assert.deepEqual(entries.at(-2)?.details, { calls: 4_980 });
  assert.equal(entries.at(-1)?.actor, "user:bob");
});

test("of one actor a server stores a bounded number of different entries in an hour, and counts the others", async () => {
  const { clock, batches, recorder } = scene();
  const kept = (): number => batches.flat().filter(({ target }) => target === "tool:app").length;
  let number = 0;
  const callFor = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      for (let each = 0; each < 20; each++) recorder.add(call("tool:app", { details: { app: `a${number++}` } }));
      await clock.advance(1_000);
    }
  };
  await callFor(120);
  assert.equal(kept(), 2_000);
  await clock.advance(3_600_000);
  await callFor(1);
  assert.equal(kept(), 2_020);
  await recorder.stop();
});

test("a batch that the database does not take is stored with the next one", async () => {
  const stored: TimedAuditRecord[] = [];
  let isDown = true;
  const { clock, recorder } = scene(async (records) => {
    if (isDown) throw new Error("no database");
    stored.push(...records);
  });
  recorder.add(call("tool:apps"));
  await clock.advance(1_000);
  isDown = false;
  recorder.add(call("tool:apps"));
  await recorder.stop();
  assert.deepEqual(
    stored.map(({ details }) => details),
    [{ calls: 2 }],
  );
});

test("what waits while the database takes nothing is stored as it is, and counts once", async () => {
  const stored: TimedAuditRecord[] = [];
  let isDown = true;
  let duringStore = (): void => {};
  const { clock, recorder } = scene(async (records) => {
    duringStore();
    if (isDown) throw new Error("no database");
    stored.push(...records);
  });
  const callAll = (first: number): void => {
    for (let each = first; each < first + 20; each++) recorder.add(call("tool:app", { details: { app: `a${each}` } }));
  };
  duringStore = () => callAll(0);
  callAll(0);
  await clock.advance(130_000);
  isDown = false;
  duringStore = () => {};
  await clock.advance(1_000);
  const calls = 1 + 130;
  assert.deepEqual(
    stored.map(({ target, details }) => [target, details]),
    Array.from({ length: 20 }, (_, each) => ["tool:app", { app: `a${each}`, calls }]),
  );
  for (let second = 1; second <= 100; second++) {
    callAll(20 * second);
    await clock.advance(1_000);
  }
  assert.equal(stored.filter(({ target }) => target === "tool:app").length, 2_000);
  await recorder.stop();
});

test("what is counted only has the program, for a few programs of an actor", async () => {
  const { batches, recorder } = scene();
  for (let number = 0; number < 100; number++)
    recorder.add(call("tool:app", { client: "Notes", details: { app: `a${number}` } }));
  for (let number = 0; number < 100; number++) recorder.add(call("tool:app", { client: `said: ${number}` }));
  await recorder.stop();
  const others = batches.flat().filter(({ target }) => target === "others");
  assert.deepEqual(
    others.map(({ client, details }) => [client, details?.["calls"]]),
    [
      ["Notes", 80],
      ["said: 0", undefined],
      ["said: 1", undefined],
      ["said: 2", undefined],
      ["said: 3", undefined],
      [undefined, 96],
    ],
  );
});
