import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { listSchedules } from "../src/use-cases/list-activities.ts";
import { scheduleActivity } from "../src/use-cases/schedule-activity.ts";
import { admin, app, notes, startActivity, type TestActivity, testDefinition, unknown } from "./fixtures.ts";

describe("pages of schedules", () => {
  let service: TestActivity;
  before(async () => {
    service = await startActivity([testDefinition({ name: "a" }), testDefinition({ name: "b" })]);
  });
  after(() => service.stop());

  test("follow each other without gap or overlap; without a size, all are returned", async () => {
    const { context } = service.activity;
    const common = {
      appName: notes,
      cron: "0 3 * * *",
      intervalSeconds: undefined,
      timezone: "UTC",
      input: null,
      enabled: true,
    };
    for (const [activity, key] of [
      ["b", "y"],
      ["a", "x"],
      ["b", "x"],
    ] as const)
      await scheduleActivity(context, { ...common, activity, key }, callBy(app));
    const list = (first?: number, last?: string) =>
      listSchedules(context, { appName: undefined, first, after: last }, callBy(admin));
    const names = (schedules: Awaited<ReturnType<typeof list>>) => schedules.map(({ activity, key }) => activity + key);
    assert.deepEqual(names(await list()), ["ax", "bx", "by"]);
    const page = await list(2);
    assert.deepEqual(names(page), ["ax", "bx"]);
    assert.deepEqual(names(await list(2, page.at(-1)?.id)), ["by"]);
    assert.deepEqual(names(await list(undefined, page[0]?.id)), ["bx", "by"]);
    for (const wrong of [unknown, "none"]) await assert.rejects(list(2, wrong), rejectsWith("INVALID_REQUEST", /after/));
    await assert.rejects(list(251), rejectsWith("INVALID_REQUEST", /first/));
  });
});
