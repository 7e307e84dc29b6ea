import assert from "node:assert/strict";
import test from "node:test";
import { readServeConfig } from "../config/serve-config.ts";
import { protectedEndpoints } from "./protected-endpoints.ts";

test("every configured dependency of serve is protected, by host and port", () => {
  const environment = {
    APPSERVER_DB_HOST: "db.internal",
    APPSERVER_DB_PASSWORD: "secret",
    APPSERVER_REDIS_URL: "rediss://:secret@cache.internal",
    APPSERVER_RABBITMQ_ENABLED: "true",
    APPSERVER_RABBITMQ_URL: "amqps://user:secret@queue.internal/vhost",
    APPSERVER_KRATOS_PUBLIC_URL: "https://identity.internal",
    APPSERVER_KRATOS_ADMIN_URL: "http://identity-admin.internal:1234",
    APPSERVER_OPENFGA_API_URL: "http://[fd00::7]:8080",
    APPSERVER_OTLP_ENDPOINT: "http://collector.internal:4318",
    APPSERVER_SETTINGS_ENCRYPTION_KEY: "0123456789abcdef0123456789abcdef",
    APPSERVER_UPSTREAM_DENY: "10.0.0.0/8,backup.internal:22,vault.internal",
  };
  const found = protectedEndpoints(readServeConfig({}, environment)).map(({ host, port }) => `${host} ${port ?? "*"}`);
  assert.deepEqual(found, [
    "db.internal 5432",
    "[fd00::7] 8080",
    "[fd00::7] 8081",
    "queue.internal 5671",
    "queue.internal 5672",
    "queue.internal 15671",
    "queue.internal 15672",
    "cache.internal 6379",
    "identity.internal 443",
    "identity.internal 4433",
    "identity.internal 4434",
    "identity-admin.internal 1234",
    "identity-admin.internal 4433",
    "identity-admin.internal 4434",
    "collector.internal 4318",
    "collector.internal 4317",
    "backup.internal 22",
    "vault.internal *",
  ]);
});

test("a database behind a socket, and an unused Redis, have no address; a broker that is not used yet has one", () => {
  const environment = {
    APPSERVER_DB_HOST: "/var/run/postgresql",
    APPSERVER_DB_PASSWORD: "secret",
    APPSERVER_REDIS_ENABLED: "false",
    APPSERVER_RABBITMQ_URL: "amqp://queue.internal",
    APPSERVER_KRATOS_PUBLIC_URL: "http://identity.internal:4433",
    APPSERVER_OPENFGA_API_URL: "http://permissions.internal:8080",
    APPSERVER_SETTINGS_ENCRYPTION_KEY: "0123456789abcdef0123456789abcdef",
  };
  const hosts = protectedEndpoints(readServeConfig({}, environment)).map(({ host }) => host);
  assert.deepEqual(new Set(hosts), new Set(["permissions.internal", "queue.internal", "identity.internal"]));
});
