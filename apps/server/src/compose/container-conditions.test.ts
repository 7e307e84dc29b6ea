import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeploymentRecord } from "@appserver/contracts/deployments";
import { containerConditions } from "./container-conditions.ts";

test("an app that serves with fewer ready instances than it should have is degraded, with the reason of the engine", () => {
  const ready = { id: "pod-1", ready: true, restarts: 0 };
  const waiting = { id: "pod-2", ready: false, restarts: 0, problem: "0/2 nodes are available" };
  const messagesOf = (changes: Partial<DeploymentRecord>) => {
    const record = { state: "HEALTHY", wantedInstances: 2, instances: [ready, waiting], updatedAt: new Date(0), ...changes };
    return containerConditions([], undefined, record as DeploymentRecord).map(({ reason, message }) => `${reason}: ${message}`);
  };
  const degraded = "Degraded: 1 of 2 instances of the app are ready";
  assert.deepEqual(messagesOf({}), [`${degraded}: 0/2 nodes are available`]);
  assert.deepEqual(messagesOf({ instances: [ready] }), [degraded]);
  assert.deepEqual(messagesOf({ wantedInstances: 1 }), []);
  assert.deepEqual(messagesOf({ state: "UNHEALTHY" }), []);
  assert.deepEqual(messagesOf({ wantedInstances: undefined, instances: undefined }), []);
});
