import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { readDevConfig } from "./dev-config.ts";

test("without options the ports, the data folder and the container driver have their defaults", () => {
  const config = readDevConfig({}, {});
  assert.equal(config.server.httpPort, 8080);
  assert.equal(config.server.grpcPort, 9090);
  assert.equal(config.dev.dataDir, resolve(".appserver"));
  assert.equal(config.containers.driver, "process");
});

test("options of the services apply here too, and those of the embedded dependencies do not", () => {
  const { hooks, containers } = readDevConfig(
    {},
    { APPSERVER_HOOKS_RETRY_DELAYS: "1s,2s", APPSERVER_CONTAINERS_MAX_RESTARTS: "9" },
  );
  assert.deepEqual([hooks.retryDelaysMs, containers.maxRestarts], [[1_000, 2_000], 9]);
  const wrong = () => readDevConfig({}, { APPSERVER_DB_MAX_OPEN_CONNECTIONS: "2", APPSERVER_DB_MAX_IDLE_CONNECTIONS: "3" });
  assert.throws(wrong, /APPSERVER_DB_MAX_IDLE_CONNECTIONS="3": expected no more than max_open_connections \(2\)/);
});

test("options that only other processes read are named, from the environment and from the file", () => {
  const environment = {
    APPSERVER_GRAPHQL_AUTH: "required",
    APPSERVER_HTTP_PORT: "9000",
    APPSERVER_DB_HOST: "db",
    HOME: "/root",
  };
  const file = "graphql:\n  auth: required\n  max_body_bytes: 1000\nserver:\n  http_port: 9000\n";
  const { warnings } = readDevConfig({ config: "a.yaml" }, environment, () => Buffer.from(file));
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? "",
    /^appserver dev does not read APPSERVER_DB_HOST, APPSERVER_GRAPHQL_AUTH, graphql\.auth: other processes of the platform do$/,
  );
  assert.deepEqual(readDevConfig({}, { APPSERVER_HTTP_PORT: "9000" }).warnings, []);
});
