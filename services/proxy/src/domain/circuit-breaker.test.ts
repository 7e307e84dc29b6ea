import assert from "node:assert/strict";
import { test } from "node:test";
import { type BreakerChange, type BreakerPermit, CircuitBreaker } from "./circuit-breaker.ts";

function admitted(breaker: CircuitBreaker, now: number): BreakerPermit {
  const admission = breaker.admit(now);
  assert.ok("permit" in admission, "the breaker lets nothing pass");
  return admission.permit;
}

function opened(): { breaker: CircuitBreaker; changes: string[] } {
  const changes: string[] = [];
  const breaker = new CircuitBreaker(({ state }) => changes.push(state));
  for (let i = 0; i < 5; i++) admitted(breaker, 0).fail(0);
  return { breaker, changes };
}

test("five failures in a row open it for 30 s, then one probe decides", () => {
  const { breaker, changes } = opened();
  assert.deepEqual(breaker.admit(10_000), { retryAfterMs: 20_000 });
  const probe = admitted(breaker, 30_000);
  assert.equal(probe.isProbe, true);
  assert.deepEqual(breaker.admit(30_001), { retryAfterMs: 1_000 });
  probe.succeed(30_010);
  assert.equal(admitted(breaker, 30_011).isProbe, false);
  assert.deepEqual(changes, ["OPEN", "HALF_OPEN", "CLOSED"]);
});

test("a failed probe opens it again; a released probe allows the next one", () => {
  const { breaker } = opened();
  admitted(breaker, 30_000).release();
  const probe = admitted(breaker, 30_001);
  assert.equal(probe.isProbe, true);
  probe.fail(30_002);
  assert.deepEqual(breaker.admit(50_002), { retryAfterMs: 10_000 });
});

test("a change states why the breaker opened; a probe without a result states nothing", () => {
  const changes: BreakerChange[] = [];
  const breaker = new CircuitBreaker((change) => changes.push(change));
  for (const now of [0, 10_000, 20_000, 30_000, 40_000]) admitted(breaker, now).fail(now);
  admitted(breaker, 70_000).release();
  admitted(breaker, 70_001).fail(70_002);
  admitted(breaker, 100_002).succeed(100_003);
  assert.deepEqual(changes, [
    // Only the failures of the last 30 s count in the window.
    { state: "OPEN", opening: { reason: "5 failures in a row", failures: 3, requests: 3 } },
    { state: "HALF_OPEN", opening: undefined },
    { state: "OPEN", opening: undefined },
    { state: "HALF_OPEN", opening: undefined },
    { state: "OPEN", opening: { reason: "a probe failed", failures: 1, requests: 1 } },
    { state: "HALF_OPEN", opening: undefined },
    { state: "CLOSED", opening: undefined },
  ]);
});

test("a success between failures resets the count", () => {
  const breaker = new CircuitBreaker(() => {});
  for (let i = 0; i < 4; i++) admitted(breaker, 0).fail(0);
  admitted(breaker, 0).succeed(0);
  for (let i = 0; i < 4; i++) admitted(breaker, 0).fail(0);
  assert.equal(breaker.state, "CLOSED");
});

test("70 % of at least 10 within 30 s open it; older calls do not count", () => {
  const changes: BreakerChange[] = [];
  const mixed = (startMs: number, stepMs: number): CircuitBreaker => {
    const breaker = new CircuitBreaker((change) => changes.push(change));
    // 7 failures and 3 successes, never 5 failures in a row.
    [..."FFFSFFFSSF"].forEach((outcome, index) => {
      const now = startMs + index * stepMs;
      const admission = breaker.admit(now);
      if ("permit" in admission) outcome === "F" ? admission.permit.fail(now) : admission.permit.succeed(now);
    });
    return breaker;
  };
  assert.equal(mixed(0, 100).state, "OPEN");
  assert.equal(mixed(0, 5_000).state, "CLOSED");
  const reason = "7 of 10 requests failed in 30 s";
  assert.deepEqual(changes, [{ state: "OPEN", opening: { reason, failures: 7, requests: 10 } }]);
});

test("results of requests from before a state change are ignored, and each permit counts once", () => {
  const breaker = new CircuitBreaker(() => {});
  const late = [1, 2, 3, 4, 5].map(() => admitted(breaker, 0));
  const double = admitted(breaker, 0);
  for (let i = 0; i < 5; i++) double.fail(0);
  assert.equal(breaker.state, "CLOSED");
  for (let i = 0; i < 4; i++) admitted(breaker, 0).fail(0);
  assert.equal(breaker.state, "OPEN");
  admitted(breaker, 30_000).succeed(30_000);
  for (const permit of late) permit.fail(30_001);
  assert.equal(breaker.state, "CLOSED");
});
