import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anonymousCaller, type Caller } from "@appserver/kernel";
import { BodyPace, type PaceProblem } from "./body-pace.ts";
import { SlowBodies, slowBodyLimits } from "./slow-bodies.ts";

const limitMs = 30_000;
const stepMs = 2_000;
const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };

interface Sending {
  readonly bytesPerSecond: number;
  readonly forMs: number;
  /** False while the backend takes nothing. */
  readonly isAwaited?: boolean;
}

/** Returns the first problem, and when it occurred. */
function problemOf(pace: BodyPace, parts: readonly Sending[]): readonly [PaceProblem, number] | undefined {
  let now = 0;
  for (const { bytesPerSecond, forMs, isAwaited = true } of parts) {
    for (const end = now + forMs; now < end; ) {
      now += stepMs;
      pace.add((bytesPerSecond * stepMs) / 1_000);
      const problem = pace.judge(now, isAwaited);
      if (problem) return [problem, now];
    }
  }
  return undefined;
}

const hourMs = 3_600_000;
const fast = 20_000;
const slow = 1_000;

describe("the pace of a body", () => {
  const rows: readonly (readonly [
    what: string,
    mayBeSlow: boolean,
    parts: readonly Sending[],
    problem?: readonly [PaceProblem, number],
  ])[] = [
    ["an hour at 1.2 MB a minute", false, [{ bytesPerSecond: fast, forMs: hourMs }]],
    ["an hour at 60 kB a minute", true, [{ bytesPerSecond: slow, forMs: hourMs }]],
    ["the same of a body that is buffered", false, [{ bytesPerSecond: slow, forMs: hourMs }], ["slow", 30_000]],
    ["a buffered body that is slow for less than 30 s", false, [{ bytesPerSecond: slow, forMs: 28_000 }]],
    [
      "pauses below the limit",
      true,
      Array.from({ length: 100 }, () => [
        { bytesPerSecond: slow, forMs: stepMs },
        { bytesPerSecond: 0, forMs: 28_000 },
      ]).flat(),
    ],
    [
      "a pause of 30 s",
      true,
      [
        { bytesPerSecond: fast, forMs: 600_000 },
        { bytesPerSecond: 0, forMs: 40_000 },
      ],
      ["paused", 630_000],
    ],
    ["no byte at all", true, [{ bytesPerSecond: 0, forMs: 40_000 }], ["paused", 30_000]],
    [
      "a backend that takes nothing for an hour",
      false,
      [
        { bytesPerSecond: fast, forMs: 10_000 },
        { bytesPerSecond: 0, forMs: hourMs, isAwaited: false },
        { bytesPerSecond: fast, forMs: 60_000 },
      ],
    ],
  ];
  for (const [what, mayBeSlow, parts, problem] of rows)
    test(what, () => {
      const pace = new BodyPace(limitMs, new SlowBodies(), 0);
      if (mayBeSlow) pace.allowSlow(alice, "203.0.113.1");
      assert.deepEqual(problemOf(pace, parts), problem);
    });
});

describe("slow bodies of one caller", () => {
  const slowOf = (slowBodies: SlowBodies, caller: Caller, address: string): { pace: BodyPace; problem: unknown } => {
    const pace = new BodyPace(limitMs, slowBodies, 0);
    pace.allowSlow(caller, address);
    return { pace, problem: problemOf(pace, [{ bytesPerSecond: slow, forMs: limitMs }])?.[0] };
  };

  test("are at most 64; other callers and fast bodies are not affected; an end makes place", () => {
    const bodies = new SlowBodies();
    const first = slowOf(bodies, alice, "203.0.113.1");
    for (let i = 1; i < slowBodyLimits.ofCaller; i++) assert.equal(slowOf(bodies, alice, "203.0.113.1").problem, undefined);
    assert.equal(slowOf(bodies, alice, "203.0.113.2").problem, "crowded");
    assert.equal(slowOf(bodies, { ...alice, id: "bob" }, "203.0.113.1").problem, undefined);
    assert.equal(slowOf(bodies, anonymousCaller, "203.0.113.1").problem, undefined);
    const quick = new BodyPace(limitMs, bodies, 0);
    quick.allowSlow(alice, "203.0.113.1");
    assert.equal(problemOf(quick, [{ bytesPerSecond: fast, forMs: hourMs }]), undefined);
    first.pace.end();
    assert.equal(slowOf(bodies, alice, "203.0.113.1").problem, undefined);
    assert.equal(slowOf(bodies, alice, "203.0.113.1").problem, "crowded");
  });

  test("make place when they become fast", () => {
    const bodies = new SlowBodies();
    const first = slowOf(bodies, alice, "203.0.113.1");
    for (let i = 1; i < slowBodyLimits.ofCaller; i++) slowOf(bodies, alice, "203.0.113.1");
    first.pace.add(1_000_000);
    assert.equal(first.pace.judge(2 * limitMs, true), undefined);
    assert.equal(slowOf(bodies, alice, "203.0.113.1").problem, undefined);
  });

  test("of strangers are at most 64 of an address, and 1,024 of all", () => {
    const bodies = new SlowBodies();
    for (let i = 0; i < slowBodyLimits.ofStrangers; i++)
      assert.equal(slowOf(bodies, anonymousCaller, `203.0.113.${i >> 6}`).problem, undefined);
    assert.equal(slowOf(bodies, anonymousCaller, "203.0.113.200").problem, "crowded");
    assert.equal(slowOf(bodies, alice, "203.0.113.200").problem, undefined);
  });
});
