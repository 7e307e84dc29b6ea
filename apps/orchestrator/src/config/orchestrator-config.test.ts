import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "./config-error.ts";
import { parseDuration } from "./duration.ts";
import { readOrchestratorConfig } from "./orchestrator-config.ts";

test("durations are those of the specification's table", () => {
  const texts = ["10m", "2m", "10s", "30s", "500ms", "1h30m", "1.5s", "10", "", "-1s", "10 m", "m"];
  const expected = [600_000, 120_000, 10_000, 30_000, 500, 5_400_000, 1_500, ...Array(5).fill(undefined)];
  assert.deepEqual(texts.map(parseDuration), expected);
});

test("an empty environment has the defaults of specification §8", () => {
  const { settings, isDockerEnabled, isEventBusEnabled, dockerSocketPath } = readOrchestratorConfig({});
  assert.deepEqual([isDockerEnabled, isEventBusEnabled, dockerSocketPath], [false, false, "/var/run/docker.sock"]);
  assert.deepEqual(settings, {
    instance: "appserver",
    network: "appserver",
    registry: "",
    credentials: undefined,
    defaultImageStage: "latest",
    endpoint: "network",
    upstreams: "network",
    cpuShares: 1024,
    memoryMb: 512,
    pidsLimit: 256,
    pullTimeoutMs: 600_000,
    startTimeoutMs: 120_000,
    stopTimeoutMs: 10_000,
    reconcileTimeoutMs: 120_000,
    healthCheckIntervalMs: 30_000,
    healthCheckTimeoutMs: 5_000,
    healthCheckRetries: 3,
    maxRestarts: 3,
  });
});

test("every wrong value is named at once, and secrets are not shown", () => {
  const wrong = (): unknown =>
    readOrchestratorConfig({
      APPSERVER_DOCKER_PULL_TIMEOUT: "soon",
      APPSERVER_DOCKER_DEFAULT_IMAGE_STAGE: "nightly",
      APPSERVER_DOCKER_ENABLED: "yes",
      APPSERVER_DB_PASSWORD: "canary",
    });
  assert.throws(wrong, (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /PULL_TIMEOUT="soon": .*10m/);
    assert.match(error.message, /IMAGE_STAGE="nightly": .*pre-release/);
    assert.match(error.message, /DOCKER_ENABLED="yes"/);
    assert.doesNotMatch(error.message, /canary/);
    return true;
  });
});
