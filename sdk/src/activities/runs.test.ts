import assert from "node:assert/strict";
import { test } from "node:test";
import { RunStatus } from "@appserver/contracts/proto/appserver/v2/activity";
import { Code, ConnectError } from "@connectrpc/connect";
import { type FollowedRun, followRun } from "../../web/follow-run.ts";
import type { PlatformClient } from "../platform-client.ts";
import { toValue } from "../to-value.ts";
import { createRuns } from "./runs.ts";

const activitiesOf = (methods: object): PlatformClient["activities"] => methods as PlatformClient["activities"];

test("a run has a report in its own words, and an unknown run has none", async () => {
  const statuses = [
    RunStatus.DELAYED,
    RunStatus.QUEUED,
    RunStatus.RUNNING,
    RunStatus.COMPLETED,
    RunStatus.FAILED,
    RunStatus.CANCELED,
  ];
  const getRun = async ({ id }: { readonly id: string }) => {
    if (id === "none") throw new ConnectError("there is no run", Code.NotFound);
    const status = statuses[Number(id)];
    return { run: { id, status, progress: 0.5, stage: "half", output: toValue({ rows: 3 }), error: { message: "no" } } };
  };
  const runs = createRuns({ activities: activitiesOf({ getRun }) });
  const reports = await Promise.all(statuses.map((_, index) => runs.get(String(index))));
  assert.deepEqual(
    reports.map((report) => [report?.state, report?.output]),
    [
      ["waiting", undefined],
      ["waiting", undefined],
      ["running", undefined],
      ["completed", { rows: 3 }],
      ["ended", undefined],
      ["ended", undefined],
    ],
  );
  assert.deepEqual([reports[2]?.progress, reports[2]?.stage], [0.5, "half"]);
  assert.equal(await runs.get("none"), undefined);
});

test("a page follows a run until its end, over answers that do not come", async () => {
  const answers = [
    () => Promise.reject(new TypeError("unreachable")),
    () => Response.json({ state: "waiting" }),
    () => new Response(null, { status: 503 }),
    () => Response.json({ state: "running", progress: 0.5 }),
    () => Response.json({ state: "completed", output: 3 }),
  ];
  const fetch = async (): Promise<Response> => (answers.shift() as () => Promise<Response> | Response)();
  const seen: FollowedRun[] = [];
  const last = await followRun({ fetch }, "/runs/1", { everyMs: 0, onProgress: (run) => seen.push(run) });
  assert.deepEqual(
    seen.map(({ state }) => state),
    ["waiting", "running", "completed"],
  );
  assert.equal(last.output, 3);
});

test("a page learns that it may not see a run, and stops on a signal", async () => {
  await assert.rejects(
    followRun({ fetch: async () => new Response(null, { status: 403 }) }, "/runs/1"),
    /\/runs\/1 answered 403/,
  );
  const stop = new AbortController();
  const followed = followRun({ fetch: async () => Response.json({ state: "running" }) }, "/runs/1", {
    signal: stop.signal,
    onProgress: () => stop.abort(new Error("left")),
  });
  await assert.rejects(followed, /left/);
});
