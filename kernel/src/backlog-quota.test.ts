import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { BacklogQuota } from "./backlog-quota.ts";
import { silentLogger } from "./logger.ts";

const settled = () => new Promise(setImmediate);

test("work is refused while too much of it waits, and accepted again when some has finished", async () => {
  const clock = new FakeClock();
  let waiting = 1;
  let counts = 0;
  const count = async (_owner: string, limit: number) => {
    counts += 1;
    return Math.min(waiting, limit);
  };
  const quota = new BacklogQuota({ max: 3, what: "runs", count, clock, logger: silentLogger });
  const add = async (owner = "notes"): Promise<void> => {
    await quota.checkQuota(owner);
    quota.added(owner);
  };
  await add();
  await add();
  await assert.rejects(add(), { code: "RATE_LIMIT_EXCEEDED", message: /notes has 3 or more runs waiting/ });
  await add("clock");
  assert.equal(counts, 2, "each owner is counted once");
  waiting = 2;
  await clock.advance(5_000);
  await assert.rejects(add(), "the next count is not waited for");
  await settled();
  await add();
  await assert.rejects(add());
  assert.equal(counts, 3);
});

test("concurrent requests share one count and are admitted in the order of arrival", async () => {
  const clock = new FakeClock();
  let counts = 0;
  const answers: (() => void)[] = [];
  const count = () => {
    counts += 1;
    return new Promise<number>((resolve) => answers.push(() => resolve(0)));
  };
  const quota = new BacklogQuota({ max: 100, what: "runs", count, clock, logger: silentLogger });
  const admitted: number[] = [];
  const all = [0, 1, 2, 3].map((number) => quota.checkQuota("notes").then(() => admitted.push(number)));
  await settled();
  // Reversed: connections of a pool may respond in any order.
  for (const answer of answers.reverse()) {
    answer();
    await settled();
  }
  await Promise.all(all);
  assert.deepEqual([counts, admitted], [1, [0, 1, 2, 3]]);
});

test("a failed count leaves the previous one in force; if the first count fails, the request fails", async () => {
  const clock = new FakeClock();
  let outage = true;
  const count = () => (outage ? Promise.reject(new Error("no database")) : Promise.resolve(0));
  const quota = new BacklogQuota({ max: 1, what: "runs", count, clock, logger: silentLogger });
  await assert.rejects(quota.checkQuota("notes"), /no database/);
  outage = false;
  await quota.checkQuota("notes");
  outage = true;
  await clock.advance(5_000);
  await quota.checkQuota("notes");
  await settled();
  await quota.checkQuota("notes");
});
