import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AttemptResult, nextStep, type RetryPolicy } from "./retry-policy.ts";

/** The delays of the option `hooks.retry_delays`, unless the operator sets others. */
const policy: RetryPolicy = { delaysMs: [5_000, 300_000, 1_800_000], freeDisconnects: 10 };
const fresh = { failures: 0, disconnects: 0 };
const next = (result: AttemptResult, counted = fresh, waitLeftMs = 0) => nextStep(result, { ...counted, waitLeftMs }, policy);

describe("the next step of a delivery", () => {
  test("is three retries after 5 s, 5 min and 30 min, then dead", () => {
    const steps = [0, 1, 2, 3].map((failures) => next({ outcome: "RETRY", error: "no" }, { failures, disconnects: 0 }));
    assert.deepEqual(
      steps.map(({ status, delayMs, failures }) => [status, delayMs, failures]),
      [
        ["RETRYING", 5_000, 1],
        ["RETRYING", 300_000, 2],
        ["RETRYING", 1_800_000, 3],
        ["DEAD", undefined, 4],
      ],
    );
    assert.deepEqual(steps[3]?.error, { code: "UPSTREAM_ERROR", message: "no" });
  });

  test("Retry-After makes a pause longer, never shorter, up to a day", () => {
    const delays = [1_000, 60_000, Number.MAX_SAFE_INTEGER].map(
      (retryAfterMs) => next({ outcome: "FAILED", error: "503", retryAfterMs }).delayMs,
    );
    assert.deepEqual(delays, [5_000, 60_000, 86_400_000]);
  });

  test("success, drop and gone finish it", () => {
    const ends = [next({ outcome: "SUCCESS" }), next({ outcome: "DROP" }), next({ outcome: "GONE", error: "410" })];
    assert.deepEqual(
      ends.map(({ status, delayMs }) => [status, delayMs]),
      [
        ["DELIVERED", undefined],
        ["DROPPED", undefined],
        ["DEAD", undefined],
      ],
    );
  });

  test("a closed stream counts no retry until it happened too often", () => {
    const first = next({ outcome: "DISCONNECTED" }, { failures: 1, disconnects: 9 });
    assert.deepEqual([first.status, first.delayMs, first.failures, first.disconnects], ["RETRYING", 0, 1, 10]);
    const last = next({ outcome: "DISCONNECTED" }, { failures: 1, disconnects: 10 });
    assert.deepEqual([last.delayMs, last.failures], [300_000, 2]);
  });

  test("a failure before the retry is due is no retry: the rest of the wait follows, unless the subscriber asks for more", () => {
    const last = { failures: 3, disconnects: 0 };
    const early = next({ outcome: "FAILED", error: "503" }, last, 60_000);
    assert.deepEqual([early.status, early.delayMs, early.failures], ["RETRYING", 60_000, 3]);
    assert.equal(next({ outcome: "FAILED", error: "503", retryAfterMs: 90_000 }, last, 60_000).delayMs, 90_000);
    assert.equal(next({ outcome: "FAILED", error: "503" }, last).status, "DEAD");
    assert.equal(next({ outcome: "SUCCESS" }, last, 60_000).status, "DELIVERED");
  });

  test("a delivery that was never sent is unchanged", () => {
    assert.deepEqual(next({ outcome: "RELEASED" }, { failures: 2, disconnects: 1 }), {
      status: "PENDING",
      delayMs: 0,
      failures: 2,
      disconnects: 1,
      error: undefined,
    });
  });
});
