import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperationRecord } from "./app.ts";
import { type ObservedDeployment, operationDuring } from "./operation-progress.ts";

const operation = { stage: "deploy", progress: 0, done: false } as OperationRecord;
const healthy = { restartCount: 0, final: false };

test("an operation has the stage and the percent of its deployment", () => {
  const seen = [
    { state: "PENDING" },
    { state: "PULLING" },
    { state: "PULLING", progress: 0.5 },
    { state: "STARTING" },
    { state: "HEALTHY" },
    { state: "FAILED" },
  ].map((deployment) => operationDuring(operation, { ...healthy, ...deployment } as ObservedDeployment));
  assert.deepEqual(
    seen.map(({ stage, progress }) => `${stage} ${Math.round(progress * 100)} %`),
    ["deploy 5 %", "pull 10 %", "pull 35 %", "start 70 %", "switch 90 %", "deploy 0 %"],
  );
});

test("after a failure the operation has the number of the attempt and the reason", () => {
  const during = (more: Partial<ObservedDeployment>) =>
    operationDuring(operation, { ...healthy, state: "RESTARTING", ...more });
  assert.equal(during({}).reason, undefined);
  const lastError = { code: "UPSTREAM_ERROR", message: "the app exited with code 1" } as const;
  const notBefore = new Date("2026-01-02T03:04:05Z");
  assert.equal(
    during({ restartCount: 2, lastError, notBefore }).reason,
    "attempt 3: the app exited with code 1; the next attempt is at 2026-01-02T03:04:05.000Z",
  );
});
