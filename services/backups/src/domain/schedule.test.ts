import assert from "node:assert/strict";
import { test } from "node:test";
import { rejectsWith } from "@appserver/testing/kit";
import { lastDue } from "./schedule.ts";

test("the last time of a schedule, also at that time", () => {
  const cases = [
    ["30 2 * * *", "2026-03-05T02:29:59.999Z", "2026-03-04T02:30:00.000Z"],
    ["30 2 * * *", "2026-03-05T02:30:00.000Z", "2026-03-05T02:30:00.000Z"],
    ["0 */6 * * *", "2026-03-05T11:00:00.000Z", "2026-03-05T06:00:00.000Z"],
    ["0 3 * * sun", "2026-03-05T11:00:00.000Z", "2026-03-01T03:00:00.000Z"],
  ] as const;
  for (const [schedule, now, expected] of cases) assert.equal(lastDue(schedule, new Date(now)).toISOString(), expected);
});

test("a text that is no schedule is refused", async () => {
  await assert.rejects(async () => lastDue("61 2 * * *", new Date()), rejectsWith("INVALID_REQUEST"));
});
