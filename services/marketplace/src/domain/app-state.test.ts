import assert from "node:assert/strict";
import test from "node:test";
import { AppError } from "@appserver/kernel";
import {
  type AppState,
  type AppStatus,
  type AppTrigger,
  acceptsSettings,
  canTransition,
  expandStates,
  isInstalled,
  isKnown,
  isServed,
  keepsDeliveries,
  mayAuthenticate,
  nextState,
  runsActivities,
  shouldRun,
  upstreamBy,
} from "./app-state.ts";

const states: readonly AppState[] = [
  "REGISTERED",
  "INSTALLING",
  "INSTALLED",
  "RUNNING",
  "UNHEALTHY",
  "FAILED",
  "UNINSTALLING",
  "UNINSTALLED",
];

/** The table of docs/interface/states.md#app-transitions, by the current state. All other transitions are illegal. */
const table: Readonly<Record<AppState, Partial<Record<AppTrigger, AppState>>>> = {
  REGISTERED: { install: "INSTALLING" },
  INSTALLING: { installed: "INSTALLED", failed: "FAILED" },
  INSTALLED: { healthy: "RUNNING", failed: "FAILED", uninstall: "UNINSTALLING" },
  RUNNING: { unhealthy: "UNHEALTHY", uninstall: "UNINSTALLING" },
  UNHEALTHY: { healthy: "RUNNING", exhausted: "FAILED", uninstall: "UNINSTALLING" },
  FAILED: { install: "INSTALLING", healed: "RUNNING", uninstall: "UNINSTALLING" },
  UNINSTALLING: { uninstalled: "UNINSTALLED" },
  UNINSTALLED: { install: "INSTALLING" },
};

/** The state that a trigger leads to. The error for an illegal transition names it. */
const targets: Readonly<Record<AppTrigger, AppState>> = {
  install: "INSTALLING",
  installed: "INSTALLED",
  healthy: "RUNNING",
  unhealthy: "UNHEALTHY",
  healed: "RUNNING",
  exhausted: "FAILED",
  failed: "FAILED",
  uninstall: "UNINSTALLING",
  uninstalled: "UNINSTALLED",
};

for (const from of states) {
  for (const trigger of Object.keys(targets) as AppTrigger[]) {
    const to = table[from][trigger];
    test(`${from} on ${trigger}: ${to ?? "refused"}`, () => {
      assert.equal(canTransition(from, trigger), to !== undefined);
      if (to !== undefined) {
        assert.equal(nextState("com.example.app", from, trigger), to);
        return;
      }
      assert.throws(
        () => nextState("com.example.app", from, trigger),
        (error: unknown) =>
          error instanceof AppError &&
          error.code === "INVALID_STATE" &&
          error.message.includes(from) &&
          error.message.includes(targets[trigger]),
      );
    });
  }
}

test("a filter for INSTALLED matches all installed states, each once", () => {
  assert.deepEqual(expandStates(["INSTALLED"]), ["INSTALLED", "RUNNING", "UNHEALTHY"]);
  assert.deepEqual(expandStates(["RUNNING", "INSTALLED"]), ["RUNNING", "INSTALLED", "UNHEALTHY"]);
  assert.deepEqual(expandStates(["UNINSTALLED", "FAILED"]), ["UNINSTALLED", "FAILED"]);
  assert.deepEqual(
    states.filter((state) => isInstalled(state)),
    ["INSTALLED", "RUNNING", "UNHEALTHY"],
  );
});

const rules = { isKnown, isServed, shouldRun, runsActivities, keepsDeliveries, mayAuthenticate, acceptsSettings };

/** The rules that hold in each state. Two kinds of FAILED are distinguished: with and without an earlier successful installation. */
const holding: Readonly<
  Record<Exclude<AppState, "FAILED"> | "FAILED at first" | "FAILED later", readonly (keyof typeof rules)[]>
> = {
  REGISTERED: ["acceptsSettings"],
  INSTALLING: ["isKnown", "runsActivities", "keepsDeliveries", "mayAuthenticate", "acceptsSettings"],
  INSTALLED: Object.keys(rules) as (keyof typeof rules)[],
  RUNNING: Object.keys(rules) as (keyof typeof rules)[],
  UNHEALTHY: Object.keys(rules) as (keyof typeof rules)[],
  "FAILED at first": ["isKnown", "runsActivities", "acceptsSettings"],
  "FAILED later": ["isKnown", "shouldRun", "runsActivities", "keepsDeliveries", "mayAuthenticate", "acceptsSettings"],
  UNINSTALLING: ["isKnown", "keepsDeliveries", "mayAuthenticate"],
  UNINSTALLED: [],
};

for (const [situation, expected] of Object.entries(holding)) {
  test(`an app that is ${situation}: ${expected.join(", ") || "no rule holds"}`, () => {
    const state = situation.split(" ")[0] as AppState;
    const app: AppStatus = { state, installedAt: situation === "FAILED later" ? new Date() : undefined };
    const held = Object.entries(rules).flatMap(([name, rule]) => (rule(app) ? [name] : []));
    assert.deepEqual(held, expected);
  });
}

test("requests to an app reach its backend while it is running, and else get the reason, or wait", () => {
  const backend = { url: "http://127.0.0.1:9" };
  const upstream = (state: AppState, { enabled = true, isReplaced = false, to = backend as typeof backend | undefined } = {}) =>
    upstreamBy({ state, enabled }, to, isReplaced);
  for (const state of states) {
    assert.deepEqual(upstream(state), state === "RUNNING" ? backend : { unavailable: state.toLowerCase() });
    assert.deepEqual(upstream(state, { isReplaced: true, to: undefined }), { unavailable: "upgrading", isBuffered: true });
    assert.deepEqual(upstream(state, { enabled: false, isReplaced: true }), { unavailable: "disabled" });
  }
  assert.deepEqual(upstreamBy({ state: "RUNNING", enabled: true }, undefined, false), { unavailable: "starting" });
});
