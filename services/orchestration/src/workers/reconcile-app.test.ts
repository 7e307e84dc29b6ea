import assert from "node:assert/strict";
import { test } from "node:test";
import { isAppError } from "@appserver/kernel";
import { ContainerError, containerLabels } from "@appserver/kernel/ports";
import { desiredApp } from "../../test/fixtures.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";

const fresh = "PENDING PULLING CREATING STARTING HEALTHY";

async function healthyFixture(): Promise<ReconcileFixture> {
  const fixture = new ReconcileFixture();
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh);
  fixture.runtime.calls.length = 0;
  return fixture;
}

/** Reconciles repeatedly while the clock advances, like the reconciler. */
async function letTimePass(fixture: ReconcileFixture, ms: number): Promise<void> {
  const end = fixture.clock.now() + ms;
  while (fixture.clock.now() < end) {
    const rest = fixture.reconcile();
    let isDone = false;
    const settled = rest.finally(() => {
      isDone = true;
    });
    while (!isDone) await fixture.clock.advance(500);
    await settled;
    await fixture.clock.advance(1_000);
  }
}

test("an installed app is pulled, created with the platform's labels, started, and healthy", async () => {
  const fixture = await healthyFixture();
  const { deployment, container } = fixture;
  assert.equal(deployment.image, "registry.test/com.example.notes:latest");
  assert.equal(deployment.endpoint, "http://app-com.example.notes:3000");
  assert.equal(container?.image, "registry.test/com.example.notes:latest@sha256:abc");
  const { [containerLabels.attempt]: attempt = "", ...labels } = container?.labels ?? {};
  assert.match(attempt, /^[0-9a-f-]{36}$/);
  assert.deepEqual(labels, {
    [containerLabels.instance]: "test",
    [containerLabels.appId]: deployment.appId,
    [containerLabels.deploymentId]: deployment.id,
    [containerLabels.generation]: "1",
    [containerLabels.configuration]: deployment.configuration,
  });
});

test("a healthy app is not changed", async () => {
  const fixture = await healthyFixture();
  assert.partialDeepStrictEqual(await fixture.reconcile(), { kind: "watching", lookAgainMs: 30_000 });
  assert.deepEqual([fixture.takeStates(), fixture.runtime.calls], ["", []]);
});

test("an app that is not installed, or needs no container, gets none", async () => {
  const fixture = new ReconcileFixture();
  fixture.desired = undefined;
  assert.deepEqual(await fixture.reconcile(), { kind: "absent" });
  fixture.desired = desiredApp({ needsContainer: false });
  assert.deepEqual(await fixture.reconcile(), { kind: "absent" });
  assert.deepEqual([fixture.takeStates(), fixture.runtime.calls], ["", []]);
});

test("an uninstalled app is stopped and removed", async () => {
  const fixture = await healthyFixture();
  fixture.desired = undefined;
  assert.deepEqual(await fixture.reconcile(), { kind: "absent" });
  assert.equal(fixture.takeStates(), "STOPPING STOPPED");
  assert.equal(fixture.container, undefined);
});

test("a container of another installation, or without a deployment record, is never changed", async () => {
  const fixture = new ReconcileFixture();
  const labels = { [containerLabels.instance]: "other", [containerLabels.appId]: desiredApp().id };
  const container = {
    id: "x",
    name: "app-com.example.notes",
    status: "running",
    labels,
    image: "i",
    fingerprint: "x",
    wanted: 1,
    instances: [],
  } as const;
  fixture.runtime.containers.set(container.name, container);
  fixture.desired = undefined;
  await fixture.reconcile();
  fixture.runtime.containers.set(container.name, { ...container, labels: { ...labels, [containerLabels.instance]: "test" } });
  await fixture.reconcile();
  assert.deepEqual(fixture.runtime.calls, []);
});

test("the error about a container name that is in use names the owner", async () => {
  const fixture = new ReconcileFixture();
  fixture.runtime.failures.set("create", new ContainerError("name_conflict", "taken by the installation other"));
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PENDING PULLING CREATING PENDING");
  assert.match(fixture.deployment.lastError?.message ?? "", /other/);
});

test("a removed container of a healthy deployment: FAILED, then a new deployment at once, not counted", async () => {
  const fixture = await healthyFixture();
  fixture.runtime.containers.clear();
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), `FAILED ${fresh}`);
  assert.equal(fixture.deployments.all.length, 2);
  assert.equal(fixture.deployment.restartCount, 0);
});

test("a container of a healthy deployment that died: FAILED, then a new deployment after the back-off", async () => {
  const fixture = await healthyFixture();
  fixture.runtime.end("app-com.example.notes", 1);
  assert.deepEqual(await fixture.reconcile(), { kind: "watching", lookAgainMs: 10_000 });
  assert.equal(fixture.takeStates(), "FAILED PENDING");
  await fixture.clock.advance(10_000);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PULLING CREATING STARTING HEALTHY");
  assert.equal(fixture.deployment.restartCount, 1);
  assert.equal(fixture.container?.id, "c2");
});

test("at start, stopped containers are started without back-off and without counting", async () => {
  const fixture = await healthyFixture();
  fixture.runtime.end("app-com.example.notes", 137);
  await fixture.reconcile(true);
  assert.equal(fixture.takeStates(), "RESTARTING STARTING HEALTHY");
  assert.deepEqual([fixture.deployment.restartCount, fixture.container?.id], [0, "c1"]);
});

test("an app that never becomes healthy is restarted three times, then FAILED with the reason, and stopped", async () => {
  const fixture = new ReconcileFixture();
  fixture.isHealthy = false;
  await letTimePass(fixture, 15 * 60_000);
  assert.equal(
    fixture.takeStates(),
    `PENDING PULLING CREATING ${"STARTING STARTING RESTARTING ".repeat(3)}STARTING STARTING FAILED`,
  );
  const { final, lastError, restartCount } = fixture.deployment;
  assert.deepEqual([final, restartCount, fixture.container?.status], [true, 3, "exited"]);
  assert.equal(
    lastError?.message,
    "the app was not healthy within 120 s of its start: GET /healthz returned 503; restarted 3 times within 60 minutes",
  );
});

test("an app that is still starting reports each result of its health check once", async () => {
  const fixture = new ReconcileFixture();
  fixture.isHealthy = false;
  const reconciling = fixture.reconcile();
  while (fixture.deployments.all.at(-1)?.state !== "STARTING") await new Promise((resolve) => setImmediate(resolve));
  await fixture.clock.advance(20_000);
  assert.equal(fixture.takeStates(), "PENDING PULLING CREATING STARTING STARTING");
  assert.equal(fixture.deployment.lastError?.message, "the app is not healthy yet: GET /healthz returned 503");
  fixture.isHealthy = true;
  await fixture.clock.advance(1_000);
  await reconciling;
  assert.deepEqual([fixture.deployment.state, fixture.deployment.lastError], ["HEALTHY", undefined]);
});

test("an app that exited is recorded with its last output", async () => {
  const fixture = await healthyFixture();
  fixture.runtime.log = "listening\nError: FOO is not configured\n    at main.ts:3:7\n";
  fixture.runtime.end("app-com.example.notes", 1);
  await fixture.reconcile();
  assert.equal(fixture.deployment.lastError?.message, 'the app exited with code 1: "Error: FOO is not configured"');
});

test("failed health checks in a row make it UNHEALTHY; one success before the restart recovers it", async () => {
  const fixture = await healthyFixture();
  fixture.isHealthy = false;
  for (let failure = 1; failure <= 3; failure++) {
    assert.equal(fixture.takeStates(), "");
    await fixture.clock.advance(30_000);
    await fixture.reconcile();
  }
  assert.equal(fixture.takeStates(), "UNHEALTHY");
  assert.equal(fixture.deployment.endpoint, "http://app-com.example.notes:3000");
  fixture.isHealthy = true;
  await fixture.clock.advance(10_000);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "HEALTHY");
  assert.equal(fixture.deployment.lastError, undefined);
});

test("if it is still unhealthy after the back-off, it is restarted", async () => {
  const fixture = await healthyFixture();
  fixture.isHealthy = false;
  await letTimePass(fixture, 95_000);
  assert.equal(fixture.takeStates(), "UNHEALTHY");
  await fixture.clock.advance(10_000);
  const restarting = fixture.reconcile();
  await fixture.clock.advance(0);
  fixture.isHealthy = true;
  await fixture.clock.advance(1_000);
  await restarting;
  assert.equal(fixture.takeStates(), "RESTARTING STARTING HEALTHY");
  assert.equal(fixture.deployment.restartCount, 1);
});

test("failures of a pull have the documented texts (docs/interface/errors.md#orchestrator-errors)", async () => {
  for (const [reason, text] of [
    ["image_not_found", "repository not found"],
    ["pull_timeout", "timeout pulling image"],
  ] as const) {
    const fixture = new ReconcileFixture();
    fixture.runtime.failures.set("pull", new ContainerError(reason, "as the engine says"));
    await fixture.reconcile();
    assert.equal(fixture.takeStates(), "PENDING PULLING PENDING");
    assert.equal(fixture.deployment.lastError?.message, `${text}: registry.test/com.example.notes:latest`);
  }
});

test("a pull that takes too long is aborted", async () => {
  const fixture = new ReconcileFixture();
  fixture.runtime.pulling = (signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new ContainerError("pull_timeout", "aborted")));
    });
  const reconciled = fixture.reconcile();
  await fixture.clock.advance(0);
  await fixture.clock.advance(600_000);
  await reconciled;
  assert.equal(fixture.takeStates(), "PENDING PULLING PENDING");
  assert.match(fixture.deployment.lastError?.message ?? "", /timeout pulling image/);
});

test("a temporary failure of the engine is retried after the back-off", async () => {
  const fixture = new ReconcileFixture();
  fixture.runtime.failures.set("create", new ContainerError("other", "no space left on device"));
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PENDING PULLING CREATING PENDING");
  await fixture.clock.advance(10_000);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PULLING CREATING STARTING HEALTHY");
});

test("an unreachable engine fails no deployment", async () => {
  const fixture = new ReconcileFixture();
  fixture.runtime.failures.set("pull", new ContainerError("unreachable", "Cannot connect to Docker daemon"));
  await assert.rejects(fixture.reconcile(), /Cannot connect/);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh);
});

test("configuration errors, invalid stages and ambiguous names are refused and recorded", async () => {
  const stage = new ReconcileFixture();
  stage.desired = desiredApp({ imageStage: "../evil" });
  await stage.reconcile();
  assert.equal(stage.takeStates(), "PENDING FAILED");
  assert.partialDeepStrictEqual(stage.deployment.lastError, {
    code: "INVALID_REQUEST",
    message: 'not a valid image stage: "../evil"; expected latest, pre-release, testing',
  });
  const twin = new ReconcileFixture();
  twin.others = [desiredApp({ id: "0193b8f0-0000-7000-8000-000000000000", name: "com.example-notes" })];
  await twin.reconcile();
  assert.equal(twin.takeStates(), "PENDING FAILED");
  assert.match(twin.deployment.lastError?.message ?? "", /UPSTREAM_COM_EXAMPLE_NOTES/);
});

test("a deployment that failed permanently is retried by a new generation, or on request", async () => {
  const fixture = new ReconcileFixture();
  fixture.runtime.failures.set("start", new ContainerError("start_failed", ""));
  await fixture.reconcile();
  await fixture.clock.advance(3_600_000);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PENDING PULLING CREATING STARTING FAILED");
  fixture.desired = desiredApp({ generation: 2 });
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), `STOPPING STOPPED ${fresh}`);
  await fixture.deployments.requestRestart("com.example.notes", new Date(fixture.clock.now()));
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), `STOPPING STOPPED ${fresh}`);
  assert.equal(fixture.deployment.generation, 2);
});

test("an image with a known digest is pulled and run by digest", async () => {
  const fixture = new ReconcileFixture();
  fixture.desired = desiredApp({ imageDigest: "sha256:known" });
  await fixture.reconcile();
  assert.equal(fixture.runtime.calls[0], "pull registry.test/com.example.notes:latest@sha256:known");
  assert.equal(fixture.container?.image, "registry.test/com.example.notes:latest@sha256:known");
});

test("a signed digest is pulled and run whatever the stage names, and a missing one waits as a missing image does", async () => {
  const signedDigest = `sha256:${"5".repeat(64)}`;
  const fixture = new ReconcileFixture();
  fixture.desired = desiredApp({ signedDigest, imageDigest: "sha256:resolved", imageStage: "../evil" });
  fixture.runtime.failures.set("pull", new ContainerError("image_not_found", ""));
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PENDING PULLING PENDING");
  const message = `repository not found: registry.test/com.example.notes@${signedDigest}`;
  assert.deepEqual(fixture.deployment.lastError, { code: "NOT_FOUND", message });
  await fixture.clock.advance(10_000);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PULLING CREATING STARTING HEALTHY");
  assert.equal(fixture.container?.image, `registry.test/com.example.notes@${signedDigest}`);
  assert.equal(fixture.deployment.imageDigest, signedDigest);
});

test("another attempt of the same generation keeps the digest that it resolved; a requested restart resolves it again", async () => {
  const fixture = await healthyFixture();
  fixture.runtime.end("app-com.example.notes", 1);
  await fixture.reconcile();
  await fixture.clock.advance(10_000);
  await fixture.reconcile();
  assert.equal(fixture.runtime.calls[0], "pull registry.test/com.example.notes:latest@sha256:abc");
  fixture.runtime.calls.length = 0;
  await fixture.deployments.requestRestart("com.example.notes", new Date(fixture.clock.now()));
  await fixture.reconcile();
  assert.equal(fixture.runtime.calls[2], "pull registry.test/com.example.notes:latest");
});

test("a disabled app is stopped, and runs again when it is enabled", async () => {
  const fixture = await healthyFixture();
  fixture.desired = desiredApp({ enabled: false });
  assert.deepEqual(await fixture.reconcile(), { kind: "absent" });
  assert.equal(fixture.takeStates(), "STOPPING STOPPED");
  assert.equal(fixture.container, undefined);
  fixture.desired = desiredApp();
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh);
});

test("an older generation in the desired state is a stale read and changes nothing", async () => {
  const fixture = await healthyFixture();
  fixture.desired = desiredApp({ generation: 0 });
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "");
});

test("an orchestrator that lost the lease writes nothing", async () => {
  const fixture = await healthyFixture();
  fixture.runtime.containers.clear();
  fixture.fence = 0;
  await assert.rejects(fixture.reconcile(), (error) => isAppError(error, "CONFLICT"));
  assert.equal(fixture.takeStates(), "");
});

test("after a kill before any write of an installation, it ends healthy with one container", async () => {
  for (let write = 1; write <= 5; write++) {
    const fixture = new ReconcileFixture();
    fixture.deployments.killAtWrite = write;
    await assert.rejects(fixture.reconcile(), /killed/);
    await fixture.reconcile(true);
    assert.equal(fixture.deployment.state, "HEALTHY", `killed before write ${write}`);
    assert.deepEqual([fixture.runtime.containers.size, fixture.deployments.all.length], [1, 1]);
  }
});

test("after a kill before any write of an uninstallation, nothing is left", async () => {
  for (let write = 6; write <= 7; write++) {
    const fixture = new ReconcileFixture();
    fixture.deployments.killAtWrite = write;
    await fixture.reconcile();
    fixture.desired = undefined;
    await assert.rejects(fixture.reconcile(), /killed/);
    await fixture.reconcile(true);
    assert.deepEqual([fixture.deployment.state, fixture.runtime.containers.size], ["STOPPED", 0]);
  }
});

test("only installed dependencies get an UPSTREAM_ variable", async () => {
  const fixture = new ReconcileFixture();
  const clock = desiredApp({ id: "0193b8f0-0000-7000-8000-000000000002", name: "com.example.clock" });
  fixture.others = [clock];
  fixture.desired = desiredApp({ dependencies: [{ name: "com.example.clock" }, { name: "com.example.absent" }] });
  const create = fixture.runtime.create.bind(fixture.runtime);
  let environment: Readonly<Record<string, string>> = {};
  fixture.runtime.create = (spec) => {
    environment = spec.environment;
    return create(spec);
  };
  await fixture.reconcile();
  const upstreams = Object.entries(environment).filter(([name]) => name.startsWith("UPSTREAM_"));
  assert.deepEqual(Object.fromEntries(upstreams), {
    UPSTREAM_COM_EXAMPLE_CLOCK: "http://app-com.example.clock:3000",
    UPSTREAM_COM_EXAMPLE_NOTES: "http://app-com.example.notes:3000",
  });
});
