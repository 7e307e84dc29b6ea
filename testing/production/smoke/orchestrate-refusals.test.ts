import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { runAppserver } from "@appserver/testing/kit/production";

const folder = mkdtempSync(join(tmpdir(), "appserver-refusals-"));
after(() => rmSync(folder, { recursive: true }));

const complete = {
  APPSERVER_EVENTBUS_ENABLED: "true",
  APPSERVER_DOCKER_ENABLED: "true",
  APPSERVER_DOCKER_SOCKET_PATH: join(folder, "nobody.sock"),
  // No server listens there: permanent errors are reported without waiting for it.
  APPSERVER_DB_HOST: "127.0.0.1",
  APPSERVER_DB_PORT: "1",
  APPSERVER_GRAPHQL_HTTP: "http://127.0.0.1:1/graphql",
  APPSERVER_SETTINGS_ENCRYPTION_KEY: "a".repeat(64),
};
const without = (...names: string[]) => Object.fromEntries(Object.entries(complete).filter(([name]) => !names.includes(name)));

const refusals = [
  ["the event bus is not enabled", without("APPSERVER_EVENTBUS_ENABLED"), "EventBus must be enabled"],
  ["neither is", without("APPSERVER_EVENTBUS_ENABLED", "APPSERVER_DOCKER_ENABLED"), "EventBus must be enabled"],
  ["containers are not enabled", without("APPSERVER_DOCKER_ENABLED"), "Docker orchestration must be enabled"],
  ["the engine does not respond", complete, "Cannot connect to Docker daemon"],
  ["containers would get no database", without("APPSERVER_DB_HOST"), "database configuration is required"],
  ["containers would not find the platform", without("APPSERVER_GRAPHQL_HTTP"), "AppServerURL is required"],
  [
    "secrets could not be read",
    without("APPSERVER_SETTINGS_ENCRYPTION_KEY"),
    "An encryption key is required: orchestrate needs the same APPSERVER_SETTINGS_ENCRYPTION_KEY as the servers",
  ],
] as const;

describe("appserver orchestrate does not start and reports the exact reason", () => {
  for (const [condition, environment, text] of refusals) {
    test(`${condition}: ${text}`, async () => {
      assert.deepEqual(await runAppserver(["orchestrate"], environment), {
        code: 1,
        stdout: "",
        stderr: `appserver: ${text}\n`,
      });
    });
  }
});
