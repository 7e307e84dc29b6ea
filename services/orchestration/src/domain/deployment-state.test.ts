import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "@appserver/kernel";
import { canTransition, checkTransition, deploymentStates, healthIn } from "./deployment-state.ts";

test("the install flow moves forward through every state (docs/interface/states.md#deployment-transitions)", () => {
  const way = ["PENDING", "PULLING", "CREATING", "STARTING", "HEALTHY", "UNHEALTHY", "RESTARTING", "STARTING"] as const;
  for (const [index, to] of way.entries()) {
    const from = way[index - 1];
    if (from) assert.ok(canTransition(from, to), `${from} → ${to}`);
  }
});

test("an app may be uninstalled in every state, and a stopped deployment never restarts", () => {
  for (const state of deploymentStates) {
    if (state !== "STOPPING" && state !== "STOPPED") assert.ok(canTransition(state, "STOPPING"), state);
    assert.ok(!canTransition("STOPPED", state), state);
  }
});

test("an illegal transition is INVALID_STATE and names both states", () => {
  assert.throws(
    () => checkTransition("com.example.notes", "PENDING", "HEALTHY"),
    (error) => error instanceof AppError && error.code === "INVALID_STATE" && /PENDING.*HEALTHY/.test(error.message),
  );
});

test("health is known only in states where the app runs, or ran and failed", () => {
  assert.deepEqual((["PENDING", "STARTING", "HEALTHY", "UNHEALTHY", "FAILED", "STOPPED"] as const).map(healthIn), [
    "UNKNOWN",
    "UNKNOWN",
    "HEALTHY",
    "UNHEALTHY",
    "UNHEALTHY",
    "UNKNOWN",
  ]);
});
