import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { testRun } from "../../test/test-run.ts";
import { shownStatus } from "./run.ts";
import { executedEvent } from "./run-events.ts";
import { nextState, retryDelayMs } from "./run-outcome.ts";

const clock = new FakeClock();
const now = new Date(clock.now());
const error = { code: "BROKEN", message: "no paper" };

describe("the next state of a run", () => {
  test("a result ends it, also after a cancel request", () => {
    for (const cancelRequested of [false, true]) {
      const next = nextState(testRun({ cancelRequested }), { kind: "completed", output: "7" }, now, 0);
      assert.deepEqual(next, { status: "COMPLETED", finishedAt: now, error: undefined, output: "7" });
    }
  });

  test("failures and crashes are retried while retries are left, with growing pauses", () => {
    for (const outcome of [{ kind: "failed", error } as const, { kind: "crashed" } as const]) {
      const seen = [1, 2, 3, 4].map((attempt) => nextState(testRun({ attempt, maxRetries: 3 }), outcome, now, 0));
      const waits = seen.map((next) => (next.status === "QUEUED" ? next.scheduledFor.getTime() - clock.now() : next.status));
      assert.deepEqual(waits, [2_000, 4_000, 8_000, outcome.kind === "failed" ? "FAILED" : "CRASHED"]);
    }
  });

  test("pauses grow to five minutes, and spread by a quarter", () => {
    assert.equal(retryDelayMs(20, 0), 300_000);
    assert.equal(retryDelayMs(1, 1), 2_500);
  });

  test("a canceled run is never retried", () => {
    const run = testRun({ cancelRequested: true });
    for (const outcome of [{ kind: "failed", error }, { kind: "crashed" }, { kind: "canceled" }] as const)
      assert.equal(nextState(run, outcome, now, 0).status, "CANCELED");
  });

  test("a worker that gives up without a cancel request has failed", () => {
    assert.equal(nextState(testRun({}), { kind: "canceled" }, now, 0).status, "QUEUED");
    assert.equal(nextState(testRun({ maxRetries: 0 }), { kind: "canceled" }, now, 0).status, "FAILED");
  });

  test("a failure that the worker marks as final is not retried", () => {
    assert.equal(nextState(testRun({}), { kind: "failed", error, final: true }, now, 0).status, "FAILED");
  });

  test("timeouts and expiry are final", () => {
    assert.equal(nextState(testRun({}), { kind: "timed_out" }, now, 0).status, "TIMED_OUT");
    assert.equal(nextState(testRun({ status: "QUEUED", attempt: 0 }), { kind: "expired" }, now, 0).status, "EXPIRED");
  });

  test("the final event contains app, attempt and duration", () => {
    const run = testRun({ startedAt: new Date(clock.now() - 1_500) });
    const end = nextState(run, { kind: "timed_out" }, now, 0);
    assert.notEqual(end.status, "QUEUED");
    const body = executedEvent(run, end as Parameters<typeof executedEvent>[1]);
    assert.equal(body.AppName, run.appName);
    assert.equal(body.durationMs, 1_500);
    assert.deepEqual(body.error, { code: "TIMED_OUT", message: "did not end within 900000 ms" });
  });

  test("a waiting run shows as DELAYED until its time has come", () => {
    const run = testRun({ status: "QUEUED", isDelayed: true });
    assert.equal(shownStatus(run), "DELAYED");
    assert.equal(shownStatus({ ...run, isDelayed: false }), "QUEUED");
  });
});
