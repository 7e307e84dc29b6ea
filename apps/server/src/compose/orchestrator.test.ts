import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ProcessRuntime } from "@appserver/containers-process";
import { StartAbortedError, silentLogger } from "@appserver/kernel";
import { createTestDatabase, startTestPostgres, type TestDatabase, type TestPostgres } from "@appserver/testing/kit";
import { readOrchestratorConfig } from "../config/orchestrator-config.ts";
import { composeOrchestrator } from "./orchestrator.ts";

const key = { APPSERVER_SETTINGS_ENCRYPTION_KEY: "a".repeat(64) };
const shared = { APPSERVER_CONTAINERS_DATABASE_SHARED_SERVER: "true" };
const enabled = { APPSERVER_EVENTBUS_ENABLED: "true", APPSERVER_CONTAINERS_ENABLED: "true" };
const logger = silentLogger;
/** What every app's container needs. */
const needed = { APPSERVER_DB_HOST: "db", APPSERVER_GRAPHQL_HTTP: "http://platform/graphql" };

let server: TestPostgres;
let database: TestDatabase;
let folder: string;

before(async () => {
  server = await startTestPostgres();
  database = await createTestDatabase(server);
  folder = mkdtempSync(join(tmpdir(), "appserver-orchestrator-"));
});

after(async () => {
  await database.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function environment(): Record<string, string> {
  const { host, port, user, password, database: name } = database.connection;
  return {
    ...enabled,
    ...key,
    APPSERVER_DB_HOST: host,
    APPSERVER_DB_PORT: String(port),
    APPSERVER_DB_USER: user,
    APPSERVER_DB_PASSWORD: password,
    APPSERVER_DB_NAME: name,
  };
}

test("a refused start throws exactly the texts of docs/interface/errors.md#orchestrator-errors", async () => {
  const refusal = async (env: Record<string, string>, message: string): Promise<void> => {
    await assert.rejects(composeOrchestrator({ ...readOrchestratorConfig(env), environment: needed }, { logger }), (error) => {
      assert.equal((error as Error).message, message);
      return true;
    });
  };
  await refusal({ APPSERVER_CONTAINERS_ENABLED: "true" }, "EventBus must be enabled");
  await refusal({ APPSERVER_EVENTBUS_ENABLED: "true" }, "Docker orchestration must be enabled");
  const nowhere = join(folder, "no-engine.sock");
  await refusal(
    enabled,
    "An encryption key is required: orchestrate needs the same APPSERVER_SETTINGS_ENCRYPTION_KEY as the servers",
  );
  await refusal({ ...enabled, ...key, APPSERVER_DOCKER_SOCKET_PATH: nowhere }, "Cannot connect to Docker daemon");
});

test("options that every container needs are required at start", async () => {
  const runtime = new ProcessRuntime({ stateFolder: join(folder, "refused"), images: () => undefined });
  const config = readOrchestratorConfig(environment());
  const start = (given: Record<string, string>): Promise<unknown> =>
    composeOrchestrator({ ...config, environment: given }, { runtime, logger });
  await assert.rejects(start({}), /^ConfigError: database configuration is required$/);
  await assert.rejects(start({ APPSERVER_DB_HOST: "db" }), /^ConfigError: AppServerURL is required$/);
});

test("without an encryption key it does not start, and names the option", async () => {
  const runtime = new ProcessRuntime({ stateFolder: join(folder, "keyless"), images: () => undefined });
  const { APPSERVER_SETTINGS_ENCRYPTION_KEY: _, ...keyless } = environment();
  const config = { ...readOrchestratorConfig(keyless), environment: needed };
  await assert.rejects(
    composeOrchestrator(config, { runtime, logger }),
    /^ConfigError: An encryption key is required: orchestrate needs the same APPSERVER_SETTINGS_ENCRYPTION_KEY as the servers$/,
  );
});

test("it starts on its own database, reconciles, and stops", async () => {
  const runtime = new ProcessRuntime({ stateFolder: join(folder, "containers"), images: () => undefined });
  const config = { ...readOrchestratorConfig({ ...environment(), ...shared }), environment: needed };
  const running = await composeOrchestrator(config, { runtime, logger });
  await running.orchestration.reconciled;
  await running.stop();
});

test("the platform's own server is refused for the databases of apps, also at another address", async () => {
  const runtime = new ProcessRuntime({ stateFolder: join(folder, "shared-server"), images: () => undefined });
  const { port, user, password } = database.connection;
  const url = `postgres://${user}:${password}@localhost:${port}/postgres`;
  for (const given of [{}, { APPSERVER_CONTAINERS_DATABASE_ADMIN_URL: url }]) {
    const config = { ...readOrchestratorConfig({ ...environment(), ...given }), environment: needed };
    await assert.rejects(composeOrchestrator(config, { runtime, logger }), {
      name: "StartError",
      message: /own PostgreSQL server.* containers\.database_admin_url .* containers\.database_shared_server=true\.$/,
    });
  }
});

test("aborting a start that waits for a database ends it", async () => {
  const runtime = new ProcessRuntime({ stateFolder: join(folder, "waiting"), images: () => undefined });
  const stopping = new AbortController();
  const config = { ...readOrchestratorConfig({ ...environment(), APPSERVER_DB_PORT: "1" }), environment: needed };
  const starting = assert.rejects(composeOrchestrator(config, { runtime, logger, signal: stopping.signal }), StartAbortedError);
  setTimeout(() => stopping.abort(), 300);
  await starting;
});
