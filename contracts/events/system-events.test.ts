import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { buildSchema, GraphQLEnumType } from "graphql";
import type { SystemEventType } from "../generated/graphql.ts";
import { eventDefinitions } from "./definitions.ts";
import { systemEventOf, systemEventSources } from "./system-events.ts";

const app = "com.example.notes";
const error = { code: "UPSTREAM_ERROR", message: "the subscriber responded with 500" };

/** For each type that people can see: an event of the bus that is shown as this type. */
const sources: Readonly<Record<SystemEventType, readonly [string, Readonly<Record<string, unknown>>]>> = {
  APP_REGISTERED: ["app.registered", { version: "1.0.0" }],
  APP_INSTALLED: ["app.installed", { version: "1.0.0" }],
  APP_UNINSTALLED: ["app.uninstalled", {}],
  APP_STATE_CHANGED: ["app.state_changed", { from: "INSTALLED", to: "RUNNING", reason: "" }],
  APP_UPGRADE_STARTED: ["app.upgrade_started", { kind: "upgrade", fromVersion: "1.0.0", toVersion: "1.1.0" }],
  APP_UPGRADED: ["app.upgraded", { toVersion: "1.1.0" }],
  APP_ROLLED_BACK: ["app.rolled_back", { toVersion: "1.0.0" }],
  APP_RECOVERED: ["app.state_changed", { from: "UNHEALTHY", to: "RUNNING", reason: "" }],
  APP_KEY_REPLACED: ["app.key_replaced", { keyFingerprint: "00" }],
  APP_DELETED: ["app.deleted", {}],
  DEPLOYMENT_STATE_CHANGED: ["deployment.state_changed", { to: "HEALTHY" }],
  SETTINGS_UPDATED: ["settings.updated", { keys: ["theme"] }],
  HOOK_TRIGGERED: ["hook.triggered", { hookName: `${app}.created` }],
  HOOK_DEAD_LETTERED: ["hook.dead_lettered", { hookName: `${app}.created`, error }],
  ACTIVITY_EXECUTED: ["activity.executed", { status: "COMPLETED" }],
  ACTIVITY_FAILED: ["activity.executed", { status: "FAILED" }],
  CIRCUIT_OPENED: ["circuit.opened", { reason: "5 failures in a row" }],
  CIRCUIT_CLOSED: ["circuit.closed", {}],
  PERMISSION_APPROVED: ["permission.approved", { scopes: [] }],
  ACCESS_REQUESTED: ["access.requested", { displayName: "Alice", access: "viewer", reason: null }],
  ACCESS_DECIDED: ["access.decided", { subject: "user:alice", access: "viewer", isGranted: true }],
  BACKUP_COMPLETED: ["backup.completed", {}],
  BACKUP_FAILED: ["backup.failed", { error: "the disk is full" }],
  INCIDENT_OPENED: ["incident.opened", { kind: "DISK_FULL", message: "95 % are used" }],
  INCIDENT_CLOSED: ["incident.closed", { kind: "DISK_FULL", message: "80 % are used" }],
};

test("each type that the GraphQL schema promises is shown for an event that the platform emits", () => {
  const schema = buildSchema(readFileSync(join(import.meta.dirname, "../graphql/schema.graphql"), "utf8"));
  const promised = schema.getType("SystemEventType");
  assert.ok(promised instanceof GraphQLEnumType);
  const types = promised.getValues().map(({ name }) => name) as SystemEventType[];
  assert.deepEqual(Object.keys(sources), types);
  for (const promisedType of types) {
    const [type, body] = sources[promisedType];
    assert.ok(type in eventDefinitions, `${type} is not an event of the bus`);
    assert.ok(systemEventSources.includes(type), `replicas do not observe ${type}`);
    assert.equal(systemEventOf({ type, subject: app, body })?.type, promisedType);
  }
});

test("each event that is shown is an event of the bus, and only these are for programs alone", () => {
  assert.deepEqual(
    systemEventSources.filter((type) => !(type in eventDefinitions)),
    [],
  );
  assert.deepEqual(
    Object.keys(eventDefinitions).filter((type) => !systemEventSources.includes(type)),
    ["app.routing_changed", "permission.changed"],
  );
});

test("a dead letter is shown without the data of its hook", () => {
  const body = {
    hookName: `${app}.created`,
    hookId: "1",
    deliveryId: "2",
    sourceApp: app,
    attempts: 4,
    error,
    data: "private",
  };
  const shown = systemEventOf({ type: "hook.dead_lettered", subject: "com.example.clock", body });
  const { data: _, ...seen } = body;
  assert.deepEqual(shown, {
    type: "HOOK_DEAD_LETTERED",
    severity: "ERROR",
    message: `a delivery of the hook ${app}.created to com.example.clock was given up: ${error.message}`,
    data: seen,
    isListed: true,
  });
});

test("approvals and circuits are shown in one sentence each", () => {
  const scopes = [
    { scope: "audit:view", owner: null },
    { scope: "data:read", owner: "com.example.data" },
  ];
  const approved = systemEventOf({ type: "permission.approved", subject: app, body: { scopes, actor: "user:admin" } });
  assert.deepEqual([approved?.severity, approved?.data], ["INFO", { scopes }]);
  assert.equal(approved?.message, `permissions of ${app} were approved: audit:view, data:read of com.example.data`);
  const circuit = { replica: "host:1", reason: "5 failures in a row", failures: 5, requests: 6 };
  const opened = systemEventOf({ type: "circuit.opened", subject: app, body: circuit });
  assert.deepEqual([opened?.severity, opened?.data], ["WARNING", circuit]);
  assert.equal(opened?.message, `requests to ${app} are refused for a while: 5 failures in a row`);
  const closed = systemEventOf({ type: "circuit.closed", subject: app, body: { replica: "host:1" } });
  assert.deepEqual([closed?.severity, closed?.message], ["INFO", `requests to ${app} are forwarded again`]);
});

test("an event of another program with missing fields is shown as well", () => {
  for (const type of systemEventSources)
    for (const body of [{}, { scopes: [null, 1, {}], error: 1, keys: 2 }])
      assert.equal(typeof systemEventOf({ type, subject: app, body })?.message, "string", type);
});
