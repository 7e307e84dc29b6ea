import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "@appserver/kernel";
import { ContainerError, type ContainerErrorReason, DatabaseError } from "@appserver/kernel/ports";
import { desiredApp, desiredRelease } from "../../test/fixtures.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { healthyFixture } from "../../test/switch-fixture.ts";

/**
 * What follows from a failed step (docs/interface/containers.md#failures). `waits`: tried again without end, and not counted. `failed`:
 * FAILED and final. `retried`: the step is repeated at once by the loop, without a change of the deployment.
 */
type Outcome = "waits" | "failed" | "retried";

interface Cause {
  readonly step: "pull" | "create" | "start" | "issue" | "database";
  readonly error: unknown;
  readonly current: Outcome;
  readonly next: Outcome;
  readonly fault?: string;
}

const engine = (reason: ContainerErrorReason, message = "as the engine says"): ContainerError =>
  new ContainerError(reason, message);

const causes: Readonly<Record<string, Cause>> = {
  "the registry is unreachable": {
    step: "pull",
    error: engine("pull_failed"),
    current: "waits",
    next: "waits",
    fault: "image_unavailable",
  },
  "the registry is too slow": {
    step: "pull",
    error: engine("pull_timeout"),
    current: "waits",
    next: "waits",
    fault: "image_unavailable",
  },
  "too many pulls": { step: "pull", error: engine("pull_limited"), current: "waits", next: "waits", fault: "image_limited" },
  "a missing image": {
    step: "pull",
    error: engine("image_not_found"),
    current: "waits",
    next: "failed",
    fault: "image_missing",
  },
  "the disk is full during a pull": { step: "pull", error: engine("other"), current: "waits", next: "failed", fault: "engine" },
  "the engine is unreachable": { step: "pull", error: engine("unreachable"), current: "retried", next: "retried" },
  "an image that vanished": {
    step: "create",
    error: engine("image_not_found"),
    current: "waits",
    next: "failed",
    fault: "image_missing",
  },
  "the disk of the engine is full": {
    step: "create",
    error: engine("other"),
    current: "waits",
    next: "failed",
    fault: "engine",
  },
  "a declaration that the engine refuses": { step: "create", error: engine("refused"), current: "failed", next: "failed" },
  "a name in use": { step: "create", error: engine("name_conflict"), current: "waits", next: "failed", fault: "name_in_use" },
  "no free network": { step: "create", error: engine("no_free_network"), current: "waits", next: "failed", fault: "network" },
  "a container that vanished": { step: "start", error: engine("not_found"), current: "waits", next: "failed", fault: "engine" },
  "the engine fails at the start": { step: "start", error: engine("other"), current: "waits", next: "failed", fault: "engine" },
  "a command that does not exist": { step: "start", error: engine("start_failed"), current: "failed", next: "failed" },
  "the server of the apps' databases is unreachable": {
    step: "database",
    error: new Error("connect ECONNREFUSED"),
    current: "retried",
    next: "retried",
    fault: "database",
  },
  "the platform's database is unreachable": {
    step: "issue",
    error: new DatabaseError("unavailable", "terminating connection"),
    current: "retried",
    next: "retried",
  },
  "a part of the platform is unreachable": {
    step: "issue",
    error: new AppError("SERVICE_UNAVAILABLE", "does not respond"),
    current: "retried",
    next: "retried",
  },
  "a lease that was lost": {
    step: "issue",
    error: new AppError("CONFLICT", "another orchestrator has taken over com.example.notes"),
    current: "retried",
    next: "retried",
  },
  "a configuration that is invalid": {
    step: "issue",
    error: new AppError("INVALID_REQUEST", "AppServerURL is required"),
    current: "failed",
    next: "failed",
  },
};

/** Lets the step fail until the returned function is called. */
function failAlways(fixture: ReconcileFixture, { step, error }: Cause): () => void {
  const fail = (): never => {
    throw error;
  };
  const target = {
    pull: fixture.runtime,
    create: fixture.runtime,
    start: fixture.runtime,
    issue: fixture.identities,
    database: fixture.databases,
  }[step];
  const method = (step === "database" ? "open" : step) as keyof typeof target;
  Object.assign(target, { [method]: async () => fail() });
  return () => void Reflect.deleteProperty(target, method);
}

async function settled(fixture: ReconcileFixture, loop: "current" | "switching"): Promise<"rests" | "throws"> {
  return await fixture.reconcile(false, loop).then(
    () => "rests",
    () => "throws",
  );
}

async function assertOutcome(fixture: ReconcileFixture, loop: "current" | "switching", cause: Cause): Promise<void> {
  const expected = loop === "current" ? cause.current : cause.next;
  const repair = failAlways(fixture, cause);
  for (let attempt = 1; attempt <= 12; attempt++) {
    assert.equal(await settled(fixture, loop), expected === "retried" ? "throws" : "rests");
    await fixture.clock.advance(300_000);
  }
  const { deployment } = fixture;
  assert.deepEqual([deployment.restartCount, deployment.restarts], [0, []], "no crash of the app is counted");
  assert.equal(deployment.final, expected === "failed");
  assert.equal(deployment.fault?.kind, expected === "failed" ? undefined : cause.fault);
  if (cause.fault && expected !== "failed") assert.equal(deployment.lastError?.message, deployment.fault?.message);
  repair();
  await settled(fixture, loop);
  const { deployment: later } = fixture;
  assert.equal(later.state, expected === "failed" ? "FAILED" : "HEALTHY");
  if (later.state === "HEALTHY")
    assert.deepEqual([later.fault, later.lastError, later.restartCount], [undefined, undefined, 0]);
}

for (const [name, cause] of Object.entries(causes)) {
  test(`${name}: the current deployment ${cause.current}, a next one ${cause.next}`, async () => {
    const fixture = new ReconcileFixture();
    fixture.desired = desiredApp();
    await assertOutcome(fixture, "current", cause);

    const upgrading = await healthyFixture();
    upgrading.desired = desiredApp({ next: desiredRelease() });
    await assertOutcome(upgrading, "switching", cause);
    assert.equal((await upgrading.deployments.ofApp("com.example.notes")).current?.state, "HEALTHY");
  });
}

test("the attempts begin after 10 s and end up 5 min apart, and the fault keeps its beginning", async () => {
  const fixture = new ReconcileFixture();
  const since = new Date(fixture.clock.now());
  const repair = failAlways(fixture, { step: "pull", error: engine("pull_limited"), current: "waits", next: "waits" });
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 7; attempt++) {
    await fixture.reconcile();
    const waitMs = (fixture.deployment.notBefore?.getTime() ?? 0) - fixture.clock.now();
    waits.push(waitMs / 1_000);
    await fixture.clock.advance(waitMs);
  }
  assert.deepEqual(waits, [10, 20, 40, 80, 160, 300, 300]);
  assert.deepEqual([fixture.deployment.fault?.since, fixture.deployment.fault?.attempts], [since, 7]);
  repair();
  await fixture.reconcile();
  assert.equal(fixture.deployment.state, "HEALTHY");
});
