import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { FakeClock } from "@appserver/testing/kit";
import { BudgetExceededError, CallBudget } from "./call-budget.ts";

const never = new Promise<string>(() => {});

async function lateCalls(budget: CallBudget, calls: readonly Promise<unknown>[]): Promise<number> {
  const results = await Promise.allSettled(calls.map((call) => budget.within(call)));
  return results.filter((result) => result.status === "rejected" && result.reason instanceof BudgetExceededError).length;
}

test("a call without a reply is given up after the budget, and all calls behind it too", async () => {
  const clock = new FakeClock();
  let exceeded = 0;
  const budget = new CallBudget(50, clock, () => {
    exceeded += 1;
  });
  const first = lateCalls(budget, [never]);
  await clock.advance(30);
  const second = lateCalls(budget, [never]);
  await clock.advance(19);
  assert.equal(exceeded, 0);
  await clock.advance(1);
  assert.equal((await first) + (await second), 2);
  assert.equal(exceeded, 1);
});

test("replies and failures in time are passed on, and later calls are watched again", async () => {
  const clock = new FakeClock();
  const budget = new CallBudget(50, clock, () => {});
  assert.equal(await budget.within(Promise.resolve("answer")), "answer");
  await assert.rejects(budget.within(Promise.reject(new Error("refused"))), /refused/);
  await clock.advance(50);
  const late = lateCalls(budget, [never]);
  await clock.advance(50);
  assert.equal(await late, 1);
});

test("a reply that is received but not read yet at the deadline counts", async () => {
  const clock = new FakeClock();
  const budget = new CallBudget(50, clock, () => {});
  const answer = Promise.withResolvers<string>();
  const call = budget.within(answer.promise);
  // The replies of a busy process are read after its timers.
  void setImmediate().then(() => answer.resolve("answer"));
  void clock.advance(50);
  assert.equal(await call, "answer");
});

test("if the process itself was late, the same time is added", async () => {
  const clock = new FakeClock();
  const budget = new CallBudget(50, clock, () => {});
  const answer = Promise.withResolvers<string>();
  // Nothing ran for 40 ms: the first sleeper wakes 30 ms late.
  const sleep = clock.sleep.bind(clock);
  let isFirst = true;
  clock.sleep = (ms) => {
    const lateMs = isFirst ? 30 : 0;
    isFirst = false;
    return sleep(ms + lateMs);
  };
  const call = budget.within(answer.promise);
  await clock.advance(80);
  await clock.advance(29);
  answer.resolve("answer");
  assert.equal(await call, "answer");
});

test("while the machine is short of processor time, the budget is counted in turns of the process", async () => {
  const clock = new FakeClock();
  let exceeded = 0;
  const budget = new CallBudget(50, clock, () => {
    exceeded += 1;
  });
  // Each turn comes 20 ms late, as the turns of Redis do.
  const sleep = clock.sleep.bind(clock);
  clock.sleep = (ms) => sleep(ms + 20);
  const answer = Promise.withResolvers<string>();
  const call = budget.within(answer.promise);
  await clock.advance(140);
  assert.equal(exceeded, 0);
  answer.resolve("answer");
  assert.equal(await call, "answer");
  const late = lateCalls(budget, [never]);
  await clock.advance(400);
  assert.equal(await late, 1);
});

test("giving up rejects every pending call", async () => {
  const budget = new CallBudget(50, new FakeClock(), () => {});
  const calls = [budget.within(never), budget.within(never)];
  budget.expireAll(new Error("the link is lost"));
  for (const call of calls) await assert.rejects(call, /the link is lost/);
});
