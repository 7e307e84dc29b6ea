import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRestart } from "./restart-policy.ts";

const minute = 60_000;
const start = Date.UTC(2026, 0, 1);

test("delays double from 10 s to at most 5 min", () => {
  const delays: number[] = [];
  let restarts: readonly number[] = [];
  for (let now = start; delays.length < 7; now += minute) {
    const decision = decideRestart({ restarts, healthySince: undefined }, now, { maxRestarts: 7 });
    assert.ok(decision.kind === "restart");
    delays.push(decision.delayMs / 1_000);
    restarts = decision.restarts;
  }
  assert.deepEqual(delays, [10, 20, 40, 80, 160, 300, 300]);
});

test("after three restarts in 60 minutes it gives up, and not one minute later", () => {
  const restarts = [start, start + 20 * minute, start + 40 * minute];
  const at = (now: number): string => decideRestart({ restarts, healthySince: undefined }, now, { maxRestarts: 3 }).kind;
  assert.equal(at(start + 60 * minute - 1), "exhausted");
  assert.equal(at(start + 60 * minute), "restart");
});

test("ten healthy minutes reset the policy", () => {
  const restarts = [start, start + 1, start + 2];
  const after = (healthyMs: number): string => {
    const healthySince = new Date(start + minute);
    return decideRestart({ restarts, healthySince }, start + minute + healthyMs, { maxRestarts: 3 }).kind;
  };
  assert.equal(after(10 * minute - 1), "exhausted");
  assert.equal(after(10 * minute), "restart");
});
