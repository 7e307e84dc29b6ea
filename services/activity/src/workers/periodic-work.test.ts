import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { FakeClock } from "@appserver/testing/kit";
import { defaultTimes } from "../domain/limits.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { periodicWork } from "./periodic-work.ts";

/** Creates the periodic work over a store that counts how often attempts were ended. */
function periodic(clock: FakeClock) {
  const seen = { passes: 0, isAway: false, isWaiting: false, wakeUps: 0 };
  const runs = {
    due: async () => {
      if (seen.isAway) throw new Error("the database is unreachable");
      return { expired: false, overdue: true, scheduled: false, waiting: seen.isWaiting };
    },
    overdue: async () => {
      seen.passes += 1;
      return [];
    },
    purge: async () => 0,
  };
  const context = {
    ...{ clock, runs, times: defaultTimes, logger: silentLogger },
    catalogue: { installed: () => [] },
    schedules: { due: async () => [] },
  } as unknown as ActivityContext;
  const work = periodicWork(context, { connected: [], wakeAll: () => (seen.wakeUps += 1) } as unknown as Dispatcher);
  /** Advances second by second, so that each turn ends before the next. */
  const pass = async (seconds: number): Promise<number> => {
    const before = seen.passes;
    for (let second = 0; second < seconds; second += 1) await clock.advance(1_000);
    return seen.passes - before;
  };
  return { work, seen, pass };
}

test("workers have 15 s to reconnect after a start, a database outage and a pause, before runs are taken away", async () => {
  const clock = new FakeClock();
  const { work, seen, pass } = periodic(clock);
  work.start();
  assert.equal(await pass(14), 0, "after a start");
  assert.ok((await pass(10)) >= 8);

  seen.isAway = true;
  await pass(60);
  seen.isAway = false;
  assert.equal(await pass(14), 0, "after an outage");
  assert.ok((await pass(10)) >= 8);

  // In one jump: between two checks the process was suspended.
  clock.standStill(60_000);
  assert.equal(await pass(14), 0, "after a pause");
  assert.ok((await pass(10)) >= 8);

  seen.isAway = true;
  await pass(2);
  seen.isAway = false;
  assert.ok((await pass(5)) >= 3, "a failure that ends at once has no effect");
  await work.stop();
});

test("workers are asked only while runs wait", async () => {
  const { work, seen, pass } = periodic(new FakeClock());
  work.start();
  await pass(5);
  assert.equal(seen.wakeUps, 0);
  seen.isWaiting = true;
  await pass(2);
  assert.ok(seen.wakeUps > 0);
  await work.stop();
});
