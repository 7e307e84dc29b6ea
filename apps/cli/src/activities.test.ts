import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appctl, requests, usePlatform } from "../test/recorded-platform.ts";

usePlatform();

const schedule = "0198c0de-0000-7000-8000-00000000000a";
const run = "0198c0de-0000-7000-8000-00000000000b";

describe("appctl and the schedules and runs of activities", () => {
  test("schedules lists them with their ids, and why one starts nothing", async () => {
    const { code, stdout, stderr } = await appctl("activities", "schedules");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^SCHEDULE +ACTIVITY, KEY +WHEN$/m);
    assert.match(stdout, new RegExp(`^${schedule} +com.example.notes +0 3 \\* \\* \\* UTC, next`, "m"));
    assert.match(stdout, new RegExp(`^${schedule} +com.example.notes +0 3 \\* \\* \\* UTC, off`, "m"));
    assert.match(stdout, /^ +weekly/m);
    const json = JSON.parse((await appctl("--json", "activities", "schedules")).stdout) as { key: string }[];
    assert.deepEqual(
      json.map(({ key }) => key),
      ["@declared", "weekly"],
    );
    assert.equal((await appctl("activities", "schedules", "com.example.clock")).stdout, "there are no schedules\n");
  });

  test("pause and resume show the schedule afterwards", async () => {
    assert.equal((await appctl("activities", "pause", schedule)).stdout, `${schedule} 0 3 * * * UTC, paused\n`);
    const resumed = `${schedule} 0 3 * * * UTC, next 2026-01-02T03:00:00.000Z\n`;
    assert.equal((await appctl("activities", "resume", schedule)).stdout, resumed);
    assert.partialDeepStrictEqual(requests, [
      { method: "setScheduleEnabled", request: { id: schedule, enabled: false } },
      { method: "setScheduleEnabled", request: { id: schedule, enabled: true } },
    ]);
  });

  test("delete-schedule says what it deleted", async () => {
    assert.equal((await appctl("activities", "delete-schedule", schedule)).stdout, `${schedule} is deleted\n`);
    assert.partialDeepStrictEqual(requests, [{ method: "deleteSchedule", request: { id: schedule } }]);
  });

  test("trigger --watch says what the run waits for, and --timeout ends the watching", async () => {
    const flags = ["--watch", "--timeout", "3"];
    const { code, stdout, stderr } = await appctl("activities", "trigger", "com.example.clock", "nightly-count", ...flags);
    const id = "0198c0de-0000-7000-8000-00000000000c";
    assert.deepEqual([code, stdout], [1, `${id} QUEUED\n`]);
    assert.equal(
      stderr,
      `${id} waits: com.example.clock is REGISTERED\n` +
        `appctl: not ended after 3 s: the run is QUEUED and continues; appctl activities watch ${id} follows it, appctl activities cancel ${id} ends it\n`,
    );
    const usage = await appctl("activities", "trigger", "com.example.notes", "nightly-count", "--timeout", "3");
    assert.deepEqual([usage.code, usage.stderr], [2, "appctl: --timeout needs --watch\n"]);
  });

  test("run and retry show the new run, or follow it to its end", async () => {
    assert.equal((await appctl("activities", "run", schedule)).stdout, `${run} QUEUED\n`);
    assert.equal((await appctl("activities", "run", schedule, "--watch")).stdout, `${run} COMPLETED\n`);
    assert.equal((await appctl("activities", "retry", run, "--watch")).stdout, `${run} COMPLETED\n`);
    const { retryOf } = JSON.parse((await appctl("--json", "activities", "retry", run)).stdout) as { retryOf: string };
    assert.equal(retryOf, run);
    assert.deepEqual(
      requests.map(({ method }) => method),
      ["runScheduleNow", "runScheduleNow", "activityProgress", "retryActivityRun", "activityProgress", "retryActivityRun"],
    );
  });
});
