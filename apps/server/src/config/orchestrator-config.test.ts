import assert from "node:assert/strict";
import { test } from "node:test";
import { readOrchestratorConfig } from "./orchestrator-config.ts";

test("an empty environment results in the defaults", () => {
  const { options, areContainersEnabled, isEventBusEnabled, drivers } = readOrchestratorConfig({});
  assert.deepEqual([areContainersEnabled, isEventBusEnabled], [false, false]);
  assert.deepEqual(drivers.containers.options, { socketPath: "/var/run/docker.sock" });
  assert.deepEqual(options, {
    instance: "appserver",
    network: "appserver",
    networkPool: "10.213.0.0/16",
    registry: "",
    credentials: undefined,
    defaultImageStage: "latest",
    endpoint: "network",
    sharedRedis: [],
    databaseSizeIntervalMs: 10_000,
    storageUsageIntervalMs: 900_000,
    snapshotsKept: 5,
    cpuShares: 1024,
    memoryMb: 512,
    pidsLimit: 256,
    maxReplicas: 10,
    maxLimits: { memoryMb: 4_096, cpuShares: 4_096, pids: 1_024 },
    pullTimeoutMs: 600_000,
    imageCleanupIntervalMs: 3_600_000,
    startTimeoutMs: 120_000,
    stopTimeoutMs: 10_000,
    reconcileTimeoutMs: 120_000,
    healthCheckIntervalMs: 30_000,
    healthCheckTimeoutMs: 5_000,
    healthCheckRetries: 3,
    maxRestarts: 3,
    settleTimeMs: 5_000,
    drainTimeoutMs: 30_000,
  });
});

test("images come from the platform, unless another registry is given, with its credentials", () => {
  const own = { APPSERVER_REGISTRY_ADDRESS: "127.0.0.1:8080" };
  assert.equal(readOrchestratorConfig(own).options.registry, "127.0.0.1:8080");
  const other = {
    APPSERVER_CONTAINERS_REGISTRY_URL: "registry.example/apps",
    APPSERVER_CONTAINERS_REGISTRY_USERNAME: "puller",
    APPSERVER_CONTAINERS_REGISTRY_PASSWORD: "word",
  };
  const { options } = readOrchestratorConfig({ ...own, ...other });
  assert.equal(options.registry, "registry.example/apps");
  assert.deepEqual(options.credentials?.("com.example.notes"), { username: "puller", password: "word" });
});

test("apps as processes need a registry, and the operator reads what that means", () => {
  const processes = { APPSERVER_CONTAINERS_DRIVER: "process" };
  assert.throws(
    () => readOrchestratorConfig(processes),
    /APPSERVER_REGISTRY_ADDRESS .*required if containers\.driver is process/,
  );
  const config = readOrchestratorConfig({ ...processes, APPSERVER_REGISTRY_ADDRESS: "127.0.0.1:8080" });
  assert.deepEqual(config.drivers.containers.options, { folder: "/var/lib/appserver/processes" });
  assert.match(config.warnings.join(), /without isolation/);
});

test("shared isolation needs no pool, and apps reach their dependencies directly", () => {
  const { options } = readOrchestratorConfig({ APPSERVER_CONTAINERS_ISOLATION: "shared" });
  assert.equal(options.networkPool, undefined);
  for (const pool of ["10.213.0.0", "fd00::/16", "10.0.0.0/28", "10.0.0.0/4"])
    assert.throws(() => readOrchestratorConfig({ APPSERVER_CONTAINERS_NETWORK_POOL: pool }), /NETWORK_POOL=.*\/8 to \/27/);
});

test("the maximum of a limit is never below the operator's default", () => {
  const { maxLimits } = readOrchestratorConfig({
    APPSERVER_CONTAINERS_MEMORY_MB: "8192",
    APPSERVER_CONTAINERS_MAX_CPU_SHARES: "8000",
    APPSERVER_CONTAINERS_MAX_PIDS: "10",
  }).options;
  assert.deepEqual(maxLimits, { memoryMb: 8_192, cpuShares: 8_000, pids: 256 });
});

test("the keys of settings are read like those of the servers", () => {
  const [old, current] = ["a".repeat(64), "b".repeat(64)];
  const keysOf = (environment: Readonly<Record<string, string>>) =>
    readOrchestratorConfig(environment).encryptionKeys.map(({ id }) => id);
  const both = { APPSERVER_SETTINGS_ENCRYPTION_KEY: old, APPSERVER_SETTINGS_ENCRYPTION_KEYS: `k2:${current}` };
  assert.deepEqual([keysOf({}), keysOf(both)], [[], ["k2", "default"]]);
  const twice = { ...both, APPSERVER_SETTINGS_ENCRYPTION_KEYS: `default:${current}` };
  assert.throws(() => keysOf(twice), /already has the id default/);
});

test("a URL alone chooses RabbitMQ; a driver or its switch wins over it", () => {
  const url = { APPSERVER_RABBITMQ_URL: "amqp://h" };
  const driverOf = (environment: Readonly<Record<string, string>>) => readOrchestratorConfig(environment).drivers.broker.choice;
  assert.deepEqual([driverOf({}), driverOf(url)], ["postgres", "rabbitmq"]);
  assert.equal(driverOf({ ...url, APPSERVER_RABBITMQ_ENABLED: "false" }), "postgres");
  assert.equal(driverOf({ ...url, APPSERVER_BROKER_DRIVER: "postgres" }), "postgres");
  assert.throws(() => driverOf({ APPSERVER_BROKER_DRIVER: "rabbitmq" }), /APPSERVER_RABBITMQ_URL .*missing/);
});
