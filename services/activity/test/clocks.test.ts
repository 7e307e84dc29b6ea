import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callBy, FakeClock } from "@appserver/testing/kit";
import { triggerActivity } from "../src/use-cases/trigger-activity.ts";
import { app, notes, startActivity, testDefinition } from "./fixtures.ts";

const second = 1_000;
const plain = testDefinition({ name: "plain" });

describe("activity runs of a process whose clock is wrong", () => {
  const started = async (clock: FakeClock) => {
    const service = await startActivity([plain], { clock });
    const { context } = service.activity;
    return {
      ...service,
      trigger: () => triggerActivity(context, { appName: notes, activity: "plain", input: undefined }, callBy(app)),
      claim: async () => (await context.runs.claim({ appName: notes, definition: plain, limit: 1 }))[0],
      find: (id: string) => context.runs.find(id),
    };
  };

  for (const skew of [10 * 60 * second, -10 * 60 * second])
    test(`${skew / second} s off, runs start and are retried by the clock of the database`, async () => {
      const service = await started(new FakeClock(Date.now() + skew));
      try {
        const run = await service.trigger();
        assert.equal(run.isDelayed, false);
        assert.ok(Math.abs(run.scheduledFor.getTime() - Date.now()) < 60 * second);
        const claimed = await service.claim();
        assert.equal(claimed?.run.id, run.id, "it can be taken at once");
        const assigned = { appName: notes, runId: run.id, attempt: 1 };
        const outcome = { kind: "failed", error: { code: "BROKEN", message: "no paper" } } as const;
        assert.deepEqual(await service.activity.context.runs.finish([{ ...assigned, outcome }]), [true]);
        const waiting = await service.find(run.id);
        assert.deepEqual([waiting?.status, waiting?.isDelayed], ["QUEUED", true]);
        const wait = (waiting?.scheduledFor.getTime() ?? 0) - Date.now();
        assert.ok(wait < 60 * second && wait > -60 * second, `${wait} ms until the next attempt`);
        assert.equal(await service.activity.context.runs.count({ appName: notes, status: "DELAYED" }), 1);
      } finally {
        await service.stop();
      }
    });
});
