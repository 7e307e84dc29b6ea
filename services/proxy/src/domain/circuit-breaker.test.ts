import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type BreakerChange, type BreakerPermit, CircuitBreaker, type FailureKind } from "./circuit-breaker.ts";

function admitted(breaker: CircuitBreaker, caller: string, now: number): BreakerPermit {
  const admission = breaker.admit(caller, now);
  assert.ok("permit" in admission, `the breaker refuses ${caller} at ${now}`);
  return admission.permit;
}

const refusal = (breaker: CircuitBreaker, caller: string, now: number): number | undefined => {
  const admission = breaker.admit(caller, now);
  return "permit" in admission ? undefined : admission.retryAfterMs;
};

function fail(breaker: CircuitBreaker, caller: string, now: number, kind: FailureKind = "exchange"): void {
  admitted(breaker, caller, now).fail(kind, now);
}

function succeed(breaker: CircuitBreaker, caller: string, now: number): void {
  admitted(breaker, caller, now).succeed(now);
}

interface Recorded {
  readonly breaker: CircuitBreaker;
  readonly changes: BreakerChange[];
  readonly states: () => string[];
}

function recorded(): Recorded {
  const changes: BreakerChange[] = [];
  const breaker = new CircuitBreaker((change) => changes.push(change));
  return { breaker, changes, states: () => changes.map(({ state }) => state) };
}

function opened(): Recorded {
  const made = recorded();
  for (let i = 0; i < 5; i++) fail(made.breaker, "a", 0, "connection");
  return made;
}

describe("what opens it", () => {
  type Step = readonly [caller: string, outcome: FailureKind | "success" | "release", atMs: number];
  const times = (count: number, caller: string, outcome: Step[1], stepMs = 0, startMs = 0): readonly Step[] =>
    Array.from({ length: count }, (_, index) => [caller, outcome, startMs + index * stepMs] as const);
  const rows: readonly (readonly [what: string, steps: readonly Step[], state: "CLOSED" | "OPEN", reason?: string])[] = [
    ["5 failed connections in a row, of one caller", times(5, "a", "connection"), "OPEN", "5 failed connections in a row"],
    ["4 of them", times(4, "a", "connection"), "CLOSED"],
    [
      "a success between failed connections",
      [...times(4, "a", "connection"), ["b", "success", 0], ...times(4, "a", "connection")],
      "CLOSED",
    ],
    [
      "failed exchanges do not interrupt failed connections",
      [...times(4, "a", "connection"), ["a", "exchange", 0], ["a", "connection", 0]],
      "OPEN",
      "5 failed connections in a row",
    ],
    [
      "5 failed exchanges of 3 callers",
      [...times(3, "a", "exchange"), ["b", "exchange", 0], ["c", "exchange", 0]],
      "OPEN",
      "5 failures in a row, of 3 callers or more",
    ],
    ["3 failed exchanges of 3 callers", [..."abc"].map((caller) => [caller, "exchange", 0] as const), "CLOSED"],
    ["5 failed exchanges of 5 callers", [..."abcde"].map((caller) => [caller, "exchange", 0] as const), "OPEN"],
    ["any number of failed exchanges of 2 callers", [...times(50, "a", "exchange"), ...times(4, "b", "exchange")], "CLOSED"],
    ["1,000 failed exchanges of one caller within 30 s", times(1_000, "a", "exchange", 29), "CLOSED"],
    [
      "5 failed exchanges of one caller in 30 s or more",
      times(5, "a", "exchange", 7_500),
      "OPEN",
      "5 failures in a row of one caller in 30 s; only that caller is refused",
    ],
    [
      "a success of another caller between them",
      [...times(4, "a", "exchange", 7_500), ["b", "success", 29_000], ["a", "exchange", 30_000]],
      "CLOSED",
    ],
    ["4 failed exchanges of one caller in an hour", times(4, "a", "exchange", 900_000), "CLOSED"],
    ["requests without a result", times(50, "a", "release"), "CLOSED"],
    [
      "70 % of 10 connections fail",
      [..."FFFSFFFSSF"].map((one, i) => ["a", one === "F" ? "connection" : "success", i * 100] as const),
      "OPEN",
      "7 of 10 requests found no connection in 30 s",
    ],
    [
      "70 % of 10, more slowly",
      [..."FFFSFFFSSF"].map((one, i) => ["a", one === "F" ? "connection" : "success", i * 5_000] as const),
      "CLOSED",
    ],
    [
      "70 % of 10 exchanges fail",
      [..."FFFSFFFSSF"].map((one, i) => ["abc"[i % 3] ?? "", one === "F" ? "exchange" : "success", i * 100] as const),
      "CLOSED",
    ],
  ];
  for (const [what, steps, state, reason] of rows)
    test(`${what}: ${state}`, () => {
      const { breaker, changes } = recorded();
      for (const [caller, outcome, at] of steps) {
        const permit = admitted(breaker, caller, at);
        if (outcome === "release") permit.release();
        else if (outcome === "success") permit.succeed(at);
        else permit.fail(outcome, at);
      }
      assert.equal(breaker.state, state);
      if (reason !== undefined) assert.equal(changes.at(-1)?.opening?.reason, reason);
    });
});

describe("an open breaker", () => {
  test("refuses all callers for 30 s, then a probe decides", () => {
    const { breaker, states } = opened();
    assert.deepEqual(breaker.admit("a", 10_000), { retryAfterMs: 20_000 });
    assert.deepEqual(breaker.admit("b", 10_000), { retryAfterMs: 20_000 });
    const probe = admitted(breaker, "a", 30_000);
    assert.equal(probe.isProbe, true);
    assert.deepEqual(breaker.admit("a", 30_001), { retryAfterMs: 1_000 });
    probe.succeed(30_010);
    assert.equal(admitted(breaker, "a", 30_011).isProbe, false);
    assert.deepEqual(states(), ["OPEN", "HALF_OPEN", "CLOSED"]);
  });

  test("opens again after a failed probe; after a probe without a result the next one follows", () => {
    const { breaker } = opened();
    admitted(breaker, "a", 30_000).release();
    const probe = admitted(breaker, "a", 30_001);
    assert.equal(probe.isProbe, true);
    probe.fail("exchange", 30_002);
    assert.deepEqual(breaker.admit("a", 50_002), { retryAfterMs: 10_000 });
  });

  test("a probe that fails or hangs does not keep out the probe of another caller", () => {
    const { breaker, states } = opened();
    const hangs = admitted(breaker, "a", 30_000);
    fail(breaker, "b", 30_001);
    assert.equal(breaker.state, "HALF_OPEN", "the first probe is not over");
    succeed(breaker, "c", 30_002);
    hangs.fail("exchange", 60_000);
    assert.deepEqual(states(), ["OPEN", "HALF_OPEN", "CLOSED"]);
  });

  test("three callers probe, one request each; when all three failed, all callers wait for 30 s", () => {
    const { breaker } = opened();
    const probes = ["a", "b", "c"].map((caller) => admitted(breaker, caller, 30_000));
    assert.equal(refusal(breaker, "d", 30_000), 1_000);
    for (const [index, probe] of probes.entries()) probe.fail("exchange", 31_000 + index);
    assert.equal(refusal(breaker, "d", 31_002), 30_000);
    succeed(breaker, "d", 61_002);
    assert.equal(breaker.state, "CLOSED");
  });

  test("a probe that hangs for 30 s makes place for another one", () => {
    const { breaker } = opened();
    for (const caller of ["a", "b", "c"]) admitted(breaker, caller, 30_000);
    assert.equal(refusal(breaker, "d", 59_999), 1_000);
    succeed(breaker, "d", 60_000);
    assert.equal(breaker.state, "CLOSED");
  });

  test("a probe without a connection lets all callers wait", () => {
    const { breaker } = opened();
    fail(breaker, "a", 30_000, "connection");
    assert.equal(refusal(breaker, "b", 30_001), 29_999);
  });

  test("states why it opened; a probe without a result states nothing", () => {
    const { breaker, changes } = recorded();
    for (const now of [0, 10_000, 20_000, 30_000, 40_000]) fail(breaker, "a", now, "connection");
    admitted(breaker, "a", 70_000).release();
    fail(breaker, "a", 70_002, "connection");
    succeed(breaker, "a", 100_003);
    assert.deepEqual(changes, [
      // Only the failures of the last 30 s count in the window.
      { state: "OPEN", opening: { reason: "5 failed connections in a row", failures: 3, requests: 3 } },
      { state: "HALF_OPEN", opening: undefined },
      { state: "OPEN", opening: undefined },
      { state: "HALF_OPEN", opening: undefined },
      { state: "OPEN", opening: { reason: "a probe failed", failures: 1, requests: 1 } },
      { state: "HALF_OPEN", opening: undefined },
      { state: "CLOSED", opening: undefined },
    ]);
  });

  test("results of requests from before a state change are ignored, and each permit counts once", () => {
    const { breaker } = recorded();
    const late = [1, 2, 3, 4, 5].map(() => admitted(breaker, "a", 0));
    const double = admitted(breaker, "a", 0);
    for (let i = 0; i < 5; i++) double.fail("connection", 0);
    assert.equal(breaker.state, "CLOSED");
    for (let i = 0; i < 4; i++) fail(breaker, "a", 0, "connection");
    assert.equal(breaker.state, "OPEN");
    succeed(breaker, "a", 30_000);
    for (const permit of late) permit.fail("connection", 30_001);
    assert.equal(breaker.state, "CLOSED");
  });
});

describe("a breaker that one caller opened", () => {
  const openedBy = (caller: string): Recorded => {
    const made = recorded();
    for (let i = 0; i < 5; i++) fail(made.breaker, caller, i * 7_500);
    assert.equal(made.breaker.state, "OPEN");
    return made;
  };

  test("refuses that caller only, and the success of another one closes it", () => {
    const { breaker } = openedBy("a");
    assert.equal(refusal(breaker, "a", 30_001), 29_999);
    const others = Array.from({ length: 20 }, () => admitted(breaker, "b", 30_001));
    others[0]?.succeed(30_002);
    assert.equal(breaker.state, "CLOSED");
    assert.equal(refusal(breaker, "a", 30_003), undefined);
  });

  test("lets that caller probe every 30 s", () => {
    const { breaker, states } = openedBy("a");
    fail(breaker, "a", 60_000);
    assert.equal(refusal(breaker, "a", 89_999), 1);
    admitted(breaker, "a", 90_000).release();
    succeed(breaker, "a", 90_000);
    assert.deepEqual(states(), ["OPEN", "HALF_OPEN", "OPEN", "HALF_OPEN", "OPEN", "HALF_OPEN", "CLOSED"]);
  });

  test("refuses all callers once three callers failed", () => {
    const { breaker } = openedBy("a");
    fail(breaker, "b", 30_001);
    assert.equal(refusal(breaker, "b", 30_002), undefined, "one failure of another caller");
    fail(breaker, "c", 30_003);
    assert.equal(refusal(breaker, "d", 30_004), 29_999);
  });
});

test("no caller alone keeps out others, whatever it does, while their requests succeed", () => {
  const action = fc.record({
    isAttacker: fc.boolean(),
    outcome: fc.constantFrom<"exchange" | "release" | "success" | "hang">("exchange", "exchange", "release", "success", "hang"),
    waitMs: fc.constantFrom(0, 1, 500, 10_000, 30_000, 100_000),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 120 }), fc.integer({ min: 0, max: 119 }), (actions, settledLate) => {
      const { breaker } = recorded();
      const hanging: BreakerPermit[] = [];
      let now = 0;
      for (const [index, { isAttacker, outcome, waitMs }] of actions.entries()) {
        now += waitMs;
        if (isAttacker) {
          const admission = breaker.admit("attacker", now);
          if (!("permit" in admission)) continue;
          if (outcome === "exchange") admission.permit.fail("exchange", now);
          else if (outcome === "release") admission.permit.release();
          else if (outcome === "success") admission.permit.succeed(now);
          else hanging.push(admission.permit);
          if (index === settledLate) for (const permit of hanging.splice(0)) permit.fail("exchange", now);
        } else succeed(breaker, `user ${index % 4}`, now);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("after all callers were refused, a caller that misbehaves cannot delay others", () => {
  const action = fc.record({
    outcome: fc.constantFrom<"exchange" | "release" | "hang">("exchange", "release", "hang"),
    waitMs: fc.constantFrom(0, 1, 500, 10_000, 30_000, 100_000),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const { breaker } = opened();
      let now = 30_000;
      for (const { outcome, waitMs } of actions) {
        now += waitMs;
        const admission = breaker.admit("attacker", now);
        if (!("permit" in admission)) continue;
        if (outcome === "exchange") admission.permit.fail("exchange", now);
        else if (outcome === "release") admission.permit.release();
      }
      succeed(breaker, "user", now);
      assert.equal(breaker.state, "CLOSED");
    }),
  );
});
