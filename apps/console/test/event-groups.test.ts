import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventFragment as EventRow } from "../web/generated/operations.ts";
import { groupsOf, severityOf, tookMs } from "../web/parts/event-groups.ts";

const [board, notes] = ["com.example.board", "com.example.notes"];

/** Events, the oldest first, one each second. */
function events(...rows: readonly Partial<EventRow>[]): readonly EventRow[] {
  return rows
    .map(
      (row, index): EventRow => ({
        id: String(index),
        type: "APP_STATE_CHANGED",
        severity: "INFO",
        appName: board,
        message: "",
        timestamp: new Date(index * 1_000).toISOString(),
        actor: null,
        traceId: null,
        operationId: null,
        ...row,
      }),
    )
    .reverse();
}

const shown = (rows: readonly EventRow[]) =>
  groupsOf(rows).map(({ lead, steps }) => `${lead.type} ${steps.map(({ id }) => id).join(" ")}`);

test("the steps of an installation are one group, with the states of its deployment", () => {
  const rows = events(
    { type: "APP_REGISTERED" },
    { operationId: "install" },
    { type: "APP_INSTALLED", operationId: "install" },
    { type: "DEPLOYMENT_STATE_CHANGED" },
    { type: "DEPLOYMENT_STATE_CHANGED", appName: notes },
    { type: "SETTINGS_UPDATED" },
    { type: "DEPLOYMENT_STATE_CHANGED", severity: "WARNING" },
    { operationId: "install" },
    { type: "DEPLOYMENT_STATE_CHANGED" },
  );
  assert.deepEqual(shown(rows), [
    "DEPLOYMENT_STATE_CHANGED 8",
    "APP_INSTALLED 7 6 3 2 1",
    "SETTINGS_UPDATED 5",
    "DEPLOYMENT_STATE_CHANGED 4",
    "APP_REGISTERED 0",
  ]);
  const [, group] = groupsOf(rows);
  assert.ok(group);
  assert.deepEqual([severityOf(group), tookMs(group)], ["WARNING", 6_000]);
});

test("operations of two apps at one time are two groups, and one that failed says so", () => {
  const rows = events(
    { operationId: "a" },
    { operationId: "b", appName: notes },
    { type: "APP_INSTALLED", operationId: "a" },
    { type: "APP_INSTALLED", operationId: "b", appName: notes },
    { operationId: "a", severity: "ERROR", message: "failed" },
    { operationId: "b", appName: notes },
  );
  assert.deepEqual(shown(rows), ["APP_INSTALLED 5 3 1", "APP_STATE_CHANGED 4 2 0"]);
  assert.equal(groupsOf(rows)[1]?.lead.message, "failed");
});

test("the stop of the deployment that an upgrade replaced is a step, and what fails after it is not", () => {
  const rows = events(
    { type: "APP_UPGRADE_STARTED", operationId: "upgrade" },
    { type: "DEPLOYMENT_STATE_CHANGED" },
    { type: "APP_UPGRADED", operationId: "upgrade" },
    { type: "DEPLOYMENT_STATE_CHANGED" },
    { type: "DEPLOYMENT_STATE_CHANGED" },
    { type: "DEPLOYMENT_STATE_CHANGED", severity: "WARNING" },
    { type: "DEPLOYMENT_STATE_CHANGED" },
  );
  assert.deepEqual(shown(rows), ["DEPLOYMENT_STATE_CHANGED 6 5", "APP_UPGRADED 4 3 2 1 0"]);
  assert.deepEqual(groupsOf(rows).map(tookMs), [undefined, 2_000]);
});

test("a failure by itself is one group until the app has recovered", () => {
  const rows = events(
    { type: "DEPLOYMENT_STATE_CHANGED", severity: "WARNING" },
    { severity: "WARNING" },
    { type: "DEPLOYMENT_STATE_CHANGED" },
    { type: "APP_RECOVERED" },
    { type: "DEPLOYMENT_STATE_CHANGED", severity: "WARNING" },
    { type: "SETTINGS_UPDATED" },
    { type: "DEPLOYMENT_STATE_CHANGED", severity: "ERROR" },
  );
  assert.deepEqual(shown(rows), ["DEPLOYMENT_STATE_CHANGED 6 4", "SETTINGS_UPDATED 5", "APP_RECOVERED 3 2 1 0"]);
  assert.deepEqual(groupsOf(rows).map(tookMs), [undefined, undefined, 3_000]);
});
