import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperationRecord } from "./app.ts";
import { operationDuring } from "./operation-progress.ts";

const operation = { stage: "deploy", progress: 0, done: false } as OperationRecord;

test("an operation has the stage and the percent of its deployment", () => {
  const seen = [
    { state: "PENDING" },
    { state: "PULLING" },
    { state: "PULLING", progress: 0.5 },
    { state: "STARTING" },
    { state: "HEALTHY" },
    { state: "FAILED" },
  ].map((deployment) => operationDuring(operation, deployment));
  assert.deepEqual(
    seen.map(({ stage, progress }) => `${stage} ${Math.round(progress * 100)} %`),
    ["deploy 5 %", "pull 10 %", "pull 35 %", "start 70 %", "switch 90 %", "deploy 0 %"],
  );
});
