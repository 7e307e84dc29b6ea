import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeploymentRecord } from "@appserver/contracts/deployments";
import { containerConditions } from "./container-conditions.ts";

test("an app that serves with fewer ready instances than it should have is degraded, with the reason of the engine and since when", () => {
  const ready = { id: "pod-1", ready: true, restarts: 0 };
  const waiting = { id: "pod-2", ready: false, restarts: 0, problem: "0/2 nodes are available" };
  const messagesOf = (changes: Partial<DeploymentRecord>) => {
    const record = { wantedInstances: 2, instances: [ready, waiting], degradedSince: new Date(0), ...changes };
    const found = containerConditions([], undefined, record as DeploymentRecord);
    return found.map(({ reason, message, lastTransitionTime }) => `${reason}: ${message}, ${lastTransitionTime}`);
  };
  const degraded = "Degraded: 1 of 2 instances of the app are ready";
  const since = "1970-01-01T00:00:00.000Z";
  assert.deepEqual(messagesOf({}), [`${degraded}: 0/2 nodes are available, ${since}`]);
  assert.deepEqual(messagesOf({ instances: [ready] }), [`${degraded}, ${since}`]);
  assert.deepEqual(messagesOf({ degradedSince: undefined }), []);
});
