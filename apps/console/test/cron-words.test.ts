import assert from "node:assert/strict";
import { test } from "node:test";
import { cronWords } from "../web/features/activities/cron-words.ts";

test("a cron expression is shown in words", () => {
  assert.equal(cronWords("0 3 * * *"), "At 03:00");
  assert.equal(cronWords("*/5 * * * *"), "Every 5 minutes");
});

test("an expression that cannot be read has no words", () => {
  assert.equal(cronWords("every day"), undefined);
});
