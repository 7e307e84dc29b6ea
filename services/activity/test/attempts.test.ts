import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { callBy, eventually } from "@appserver/testing/kit";
import type { Outcome } from "../src/domain/run-outcome.ts";
import type { ActivityContext } from "../src/use-cases/context.ts";
import { cancelRun } from "../src/use-cases/read-runs.ts";
import { triggerActivity } from "../src/use-cases/trigger-activity.ts";
import { app, notes, startActivity, type TestActivity, testDefinition } from "./fixtures.ts";

const twice = testDefinition({ name: "twice", maxRetries: 1 });
const failed: Outcome = { kind: "failed", error: { code: "BROKEN", message: "no paper \0", details: { tray: 2 } } };

describe("the attempts of a run", () => {
  let service: TestActivity;
  let context: ActivityContext;
  beforeEach(async () => {
    service = await startActivity([twice]);
    context = service.activity.context;
  });
  afterEach(() => service.stop());

  const trigger = async () => (await triggerActivity(context, { appName: notes, activity: "twice", input: 1 }, callBy(app))).id;
  /** Waits for the end of the pause before a retry. Reports the outcome twice. */
  const end = async (outcome: Outcome) => {
    const [claimed] = await eventually(
      () => context.runs.claim({ appName: notes, definition: twice, limit: 1 }),
      ({ length }) => length > 0,
    );
    const { id: runId, attempt } = claimed?.run ?? assert.fail("nothing waits");
    return context.runs.finish([
      { appName: notes, runId, attempt, outcome },
      { appName: notes, runId, attempt, outcome },
    ]);
  };

  test("each has its number, its times, its outcome and its error", async () => {
    const id = await trigger();
    assert.deepEqual(await context.runReads.attempts(id), []);
    await end(failed);
    const [first, ...more] = await context.runReads.attempts(id);
    assert.deepEqual(more, []);
    assert.deepEqual([first?.number, first?.outcome, first?.error], [1, "FAILED", failed.error]);
    assert.ok(first && first.startedAt.getTime() <= first.finishedAt.getTime());
    await end({ kind: "completed", output: "7" });
    const attempts = await context.runReads.attempts(id);
    assert.deepEqual(
      attempts.map(({ number, outcome, error }) => [number, outcome, error]),
      [
        [1, "FAILED", failed.error],
        [2, "COMPLETED", undefined],
      ],
    );
  });

  test("a run that no worker had has none", async () => {
    const id = await trigger();
    await cancelRun(context, id, callBy(app));
    assert.equal((await context.runReads.find(id))?.status, "CANCELED");
    assert.deepEqual(await context.runReads.attempts(id), []);
  });
});
