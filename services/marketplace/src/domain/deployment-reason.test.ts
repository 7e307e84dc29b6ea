import assert from "node:assert/strict";
import { test } from "node:test";
import { deploymentReason, type Explained } from "./deployment-reason.ts";

const starting: Explained = { state: "STARTING", lastError: undefined, progress: undefined, final: false };
const lastError = { code: "UPSTREAM_ERROR", message: "the app exited with code 1" } as const;

test("a healthy app has no reason, and any other one has a sentence", () => {
  assert.equal(deploymentReason({ ...starting, state: "HEALTHY" }, true), undefined);
  const reasons = (
    ["PENDING", "PULLING", "CREATING", "STARTING", "UNHEALTHY", "RESTARTING", "STOPPING", "STOPPED", "FAILED"] as const
  ).map((state) => deploymentReason({ ...starting, state }, true));
  for (const reason of reasons) assert.match(reason ?? "", /^its (?:container|image) /);
  assert.equal(deploymentReason({ ...starting, state: "ASLEEP" }, true), "the app is asleep, because it was not in use");
  assert.equal(deploymentReason({ ...starting, state: "PULLING", progress: 0.429 }, true), "its image is being pulled: 42 %");
});

test("the last error is the reason, with the time of the next attempt", () => {
  const failed = { ...starting, state: "FAILED", lastError } as const;
  assert.equal(deploymentReason(failed, true), "the app exited with code 1");
  const notBefore = new Date("2026-01-02T03:04:05Z");
  const waiting = { ...failed, notBefore };
  assert.equal(deploymentReason(waiting, true), "the app exited with code 1; the next attempt is at 2026-01-02T03:04:05.000Z");
  assert.equal(
    deploymentReason({ ...failed, final: true }, true),
    "the app exited with code 1; it is not tried again without a command",
  );
});

test("a container that is stopped on purpose is not explained by an old error", () => {
  const stopped = { ...starting, state: "STOPPED", lastError } as const;
  assert.equal(deploymentReason(stopped, false), "the app is disabled");
  assert.equal(deploymentReason(stopped, true), "its container is stopped");
  const paused = { ...starting, state: "HEALTHY", pausedAt: new Date(0) } as const;
  assert.equal(
    deploymentReason(paused, true),
    "its container is stopped while another version takes over or its data is copied",
  );
});
