import assert from "node:assert/strict";
import { test } from "node:test";
import { resultOfAnswer } from "./push-answer.ts";

const now = Date.UTC(2026, 0, 1);

test("2xx is a success, 410 ends the subscription, other statuses are retried", () => {
  const outcomes = [200, 204, 299, 302, 400, 404, 410, 500].map(
    (status) => resultOfAnswer({ status, retryAfter: undefined }, now).outcome,
  );
  assert.deepEqual(outcomes, ["SUCCESS", "SUCCESS", "SUCCESS", "FAILED", "FAILED", "FAILED", "GONE", "FAILED"]);
});

test("Retry-After is seconds or a date; other values are ignored", () => {
  const after = (retryAfter: string) => resultOfAnswer({ status: 503, retryAfter }, now);
  const error = "the subscriber responded with 503";
  assert.deepEqual(after("7"), { outcome: "FAILED", error, retryAfterMs: 7000 });
  assert.deepEqual(after("Thu, 01 Jan 2026 00:01:00 GMT"), { outcome: "FAILED", error, retryAfterMs: 60_000 });
  assert.deepEqual(after("Wed, 31 Dec 2025 00:00:00 GMT"), { outcome: "FAILED", error, retryAfterMs: 0 });
  assert.deepEqual(after("soon"), { outcome: "FAILED", error });
});
