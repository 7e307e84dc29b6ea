import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventEnvelope } from "@appserver/kernel/ports";
import { duplicates, type Expectation, type Observation, violations } from "./invariants.ts";
import type { PlatformRecords, TransitionRow } from "./platform-records.ts";

const name = "com.example.a";
const expected = new Map<string, Expectation>([[name, { states: ["RUNNING"], needsProcess: true }]]);
const states = [null, "REGISTERED", "INSTALLING", "INSTALLED", "RUNNING"];
const transitions = states
  .slice(1)
  .map((to, step): TransitionRow => ({ appName: name, from: states[step] ?? null, to: to ?? "", at: new Date(step) }));
const deploymentSteps = [null, "PENDING", "HEALTHY"];

function event(type: string, id: string, body: Readonly<Record<string, unknown>>): EventEnvelope {
  return { id, type, source: "/test", subject: name, time: "1970-01-01T00:00:00.000Z", body };
}

const events: readonly EventEnvelope[] = [
  ...transitions.map(({ from, to, at }, step) =>
    event("app.state_changed", `state-${step}`, { from, to, timestamp: at.toISOString() }),
  ),
  event("app.installed", "installed", { timestamp: new Date(2).toISOString() }),
  ...deploymentSteps
    .slice(1)
    .map((to, step) =>
      event("deployment.state_changed", `deployment-${step}`, { deploymentId: "d", from: deploymentSteps[step], to }),
    ),
];

const records: PlatformRecords = {
  apps: [{ id: "a", name, state: "RUNNING", generation: 1, lastError: null }],
  transitions,
  deployments: [
    {
      id: "d",
      appName: name,
      state: "HEALTHY",
      generation: 1,
      isCurrent: true,
      final: false,
      restartCount: 0,
      healthySince: null,
    },
  ],
  events,
  unpublished: 0,
  unconsumed: 0,
  deadLetters: 0,
  openOperations: 0,
  lockedApps: 0,
};

function found(changes: Partial<PlatformRecords>, seen: Partial<Observation> = {}): readonly string[] {
  const healthy: Observation = {
    records: { ...records, ...changes },
    processes: [{ pid: 1, appName: name }],
    publicRoute: new Map([[name, 200]]),
  };
  return violations({ ...healthy, ...seen }, expected);
}

test("a consistent platform has no violation, and events may arrive twice", () => {
  assert.deepEqual(found({}), []);
  assert.deepEqual(found({ events: [...events, ...events] }), []);
});

test("every lost event is found", () => {
  for (const lost of events) {
    const rest = events.filter((kept) => kept !== lost);
    assert.equal(found({ events: rest }).length, 1, `${lost.id} is missed`);
  }
});

test("a transition that was lost after its event was sent is found", () => {
  const state = transitions[2]?.to ?? "";
  const apps = records.apps.map((app) => ({ ...app, state }));
  assert.match(
    found({ transitions: transitions.slice(0, 3), apps }).join(),
    /an event without a commit: com.example.a INSTALLED → RUNNING/,
  );
});

test("a state without its transition is found", () => {
  assert.match(found({ apps: records.apps.map((app) => ({ ...app, state: "FAILED" })) }).join(), /its history ends at RUNNING/);
});

test("too many processes, missing processes and a process of an unknown app are found", () => {
  const twice = [1, 2].map((pid) => ({ pid, appName: name }));
  assert.deepEqual(found({}, { processes: twice }), [`${name} is RUNNING and has 2 processes`]);
  assert.deepEqual(duplicates(twice), [`${name} runs 2 times (1, 2)`]);
  assert.deepEqual(found({}, { processes: [] }), [`${name} is RUNNING and has 0 processes`]);
  assert.deepEqual(
    found(
      {},
      {
        processes: [
          { pid: 1, appName: name },
          { pid: 2, appName: "b" },
        ],
      },
    ),
    ["process 2 runs b"],
  );
});

test("apps without a response, processes of an older installation and pending messages are found", () => {
  assert.match(found({}, { publicRoute: new Map([[name, 503]]) }).join(), /responds with 503/);
  assert.match(found({ apps: records.apps.map((app) => ({ ...app, generation: 2 })) }).join(), /generation 1 of 2/);
  const counts = ["unpublished", "unconsumed", "deadLetters", "openOperations", "lockedApps"] as const;
  for (const count of counts) assert.deepEqual(found({ [count]: 3 }), [`${count}: 3`]);
});
