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
  ...(
    [
      ["app.upgraded", "1.0.0", "1.1.0", 5],
      ["app.rolled_back", "1.1.0", "1.0.0", 6],
      ["app.upgraded", "1.0.0", "1.0.0", 7],
      ["app.rolled_back", "1.1.0", "1.0.0", 8],
      ["app.upgraded", "1.0.0", "1.1.0", 9],
    ] as const
  ).map(([type, fromVersion, toVersion, at]) =>
    event(type, `change-${at}`, { fromVersion, toVersion, timestamp: new Date(at).toISOString() }),
  ),
  ...deploymentSteps
    .slice(1)
    .map((to, step) =>
      event("deployment.state_changed", `deployment-${step}`, { deploymentId: "d", from: deploymentSteps[step], to }),
    ),
];

const records: PlatformRecords = {
  apps: [
    {
      name,
      state: "RUNNING",
      generation: 1,
      version: "1.1.0",
      availableVersion: null,
      endpoint: "http://127.0.0.1:1",
      target: null,
      lastError: null,
    },
  ],
  transitions,
  versionChanges: [
    { appName: name, kind: "install", from: null, version: "1.0.0", at: new Date(2) },
    { appName: name, kind: "upgrade", from: "1.0.0", version: "1.1.0", at: new Date(5) },
    { appName: name, kind: "rollback", from: "1.1.0", version: "1.0.0", at: new Date(6) },
    { appName: name, kind: "redeploy", from: "1.0.0", version: "1.0.0", at: new Date(7) },
    { appName: name, kind: "revert", from: "1.1.0", version: "1.0.0", at: new Date(8) },
    { appName: name, kind: "upgrade", from: "1.0.0", version: "1.1.0", at: new Date(9) },
  ],
  deployments: [
    {
      id: "d",
      appName: name,
      state: "HEALTHY",
      generation: 1,
      version: "1.1.0",
      role: "current",
      containerName: `app-${name}`,
      endpoint: "http://127.0.0.1:1",
      final: false,
      restartCount: 0,
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

test("a state without its transition is found", () => {
  assert.match(found({ apps: records.apps.map((app) => ({ ...app, state: "FAILED" })) }).join(), /its history ends at RUNNING/);
});

test("too many processes, missing processes and a process of an unknown app are found", () => {
  const twice = [1, 2].map((pid) => ({ pid, appName: name }));
  assert.deepEqual(found({}, { processes: twice }), [`${name} is RUNNING and has 2 processes`]);
  assert.deepEqual(duplicates(twice), [`${name} runs 2 times (1, 2)`]);
  const switching = new Map<string, Expectation>([[name, { states: ["RUNNING"], needsProcess: true, isSwitching: true }]]);
  assert.deepEqual(duplicates(twice, switching), []);
  assert.deepEqual(duplicates([...twice, { pid: 3, appName: name }], switching), [`${name} runs 3 times (1, 2, 3)`]);
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

test("parts of two versions at once are found", () => {
  const apps = records.apps.map((app) => ({ ...app, version: "1.0.0" }));
  assert.deepEqual(found({ apps }), [
    `${name} has 1.0.0 and its version history ends at 1.1.0`,
    `${name} has 1.0.0 and its deployment runs 1.1.0`,
  ]);
  assert.deepEqual(found({}, { pages: new Map([[name, "1.0.0"]]) }), [`${name} has 1.1.0 and the page of 1.0.0 is served`]);
  const deployments = (changes: object) => records.deployments.map((deployment) => ({ ...deployment, ...changes }));
  assert.match(found({ deployments: deployments({ endpoint: "http://127.0.0.1:2" }) }).join(), /it runs at http:..127.0.0.1:2/);
  assert.match(found({ deployments: deployments({ containerName: `app-${name}-g2` }) }).join(), /still has the name/);
  const other = new Map<string, Expectation>([[name, { states: ["RUNNING"], versions: ["1.0.0"], needsProcess: true }]]);
  const processes = [{ pid: 1, appName: name }];
  assert.deepEqual(violations({ records, processes, publicRoute: new Map() }, other), [`${name} has 1.1.0, expected 1.0.0`]);
});

test("apps without a response, processes of an older installation and pending messages are found", () => {
  assert.match(found({}, { publicRoute: new Map([[name, 503]]) }).join(), /responds with 503/);
  assert.match(found({ apps: records.apps.map((app) => ({ ...app, generation: 2 })) }).join(), /generation 1 of 2/);
  const counts = ["unpublished", "unconsumed", "deadLetters", "openOperations", "lockedApps"] as const;
  for (const count of counts) assert.deepEqual(found({ [count]: 3 }), [`${count}: 3`]);
});
