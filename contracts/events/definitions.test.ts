import assert from "node:assert/strict";
import { test } from "node:test";
import { type EventDefinition, type EventEffect, eventDefinitions, eventEffects, eventTypesAffecting } from "./definitions.ts";

const definitions: Readonly<Record<string, EventDefinition>> = eventDefinitions;
const effects = Object.keys(eventEffects) as EventEffect[];

test("every definition lists its effects; events for people and other programs have none", () => {
  const nothing = Object.entries(definitions).filter(([, { affects }]) => affects.length === 0);
  assert.deepEqual(
    nothing.map(([type]) => type),
    [
      "hook.dead_lettered",
      "activity.executed",
      "access.requested",
      "access.decided",
      "permission.approved",
      "backup.completed",
      "backup.failed",
      "incident.opened",
      "incident.closed",
      "circuit.opened",
      "circuit.closed",
    ],
  );
  for (const [type, { affects }] of Object.entries(definitions)) {
    assert.deepEqual(
      affects.filter((effect) => !effects.includes(effect)),
      [],
      `${type} names an unknown effect`,
    );
    assert.equal(new Set(affects).size, affects.length, `${type} names an effect twice`);
  }
});

test("the events of each effect", () => {
  const changes = ["app.upgraded", "app.rolled_back"];
  const switched = ["app.enabled", "app.disabled"];
  const expected: Readonly<Record<EventEffect, readonly string[]>> = {
    apps: [
      "app.registered",
      "app.installed",
      "app.uninstalled",
      "app.state_changed",
      "app.enabled",
      "app.disabled",
      "app.key_replaced",
      "app.deleted",
      "app.upgrade_started",
      "app.upgraded",
      "app.routing_changed",
      "app.rolled_back",
      "deployment.state_changed",
    ],
    appStates: ["deployment.state_changed"],
    appSubscription: [
      "app.registered",
      "app.state_changed",
      ...switched,
      "app.upgraded",
      "app.routing_changed",
      "app.rolled_back",
    ],
    permissions: ["app.installed", "app.uninstalled", "app.deleted", ...changes, "permission.changed"],
    settings: ["app.registered", ...changes, "settings.updated"],
    containers: ["app.installed", "app.uninstalled", ...switched, "app.upgrade_started", ...changes, "settings.updated"],
    hookSources: ["permission.changed"],
    hookSubscription: ["hook.triggered"],
  };
  for (const effect of effects) assert.deepEqual(eventTypesAffecting(effect), expected[effect], effect);
});
