import assert from "node:assert/strict";
import { test } from "node:test";
import { isAppError } from "@appserver/kernel";
import { ContainerError, containerLabels } from "@appserver/kernel/ports";
import { Bench, desiredApp } from "../../test/memory-parts.ts";

const fresh = "PENDING PULLING CREATING STARTING HEALTHY";

async function healthyBench(): Promise<Bench> {
  const bench = new Bench();
  await bench.reconcile();
  assert.equal(bench.takeStates(), fresh);
  bench.runtime.calls.length = 0;
  return bench;
}

/** Reconciles repeatedly while the clock advances, like the keeper. */
async function letTimePass(bench: Bench, ms: number): Promise<void> {
  const end = bench.clock.now() + ms;
  while (bench.clock.now() < end) {
    const rest = bench.reconcile();
    let isDone = false;
    const settled = rest.finally(() => {
      isDone = true;
    });
    while (!isDone) await bench.clock.advance(500);
    await settled;
    await bench.clock.advance(1_000);
  }
}

test("an installed app is pulled, created with the platform's labels, started, and healthy", async () => {
  const bench = await healthyBench();
  const { deployment, container } = bench;
  assert.equal(deployment.image, "registry.test/com.example.notes:latest");
  assert.equal(deployment.endpoint, "http://app-com.example.notes:3000");
  assert.equal(container?.image, "registry.test/com.example.notes:latest@sha256:abc");
  assert.deepEqual(container?.labels, {
    [containerLabels.instance]: "test",
    [containerLabels.appId]: deployment.appId,
    [containerLabels.deploymentId]: deployment.id,
    [containerLabels.generation]: "1",
  });
});

test("a healthy app is not changed", async () => {
  const bench = await healthyBench();
  assert.deepEqual(await bench.reconcile(), { kind: "watching", lookAgainMs: 30_000 });
  assert.deepEqual([bench.takeStates(), bench.runtime.calls], ["", []]);
});

test("an app that is not installed, or needs no container, gets none", async () => {
  const bench = new Bench();
  bench.desired = undefined;
  assert.deepEqual(await bench.reconcile(), { kind: "absent" });
  bench.desired = desiredApp({ needsContainer: false });
  assert.deepEqual(await bench.reconcile(), { kind: "absent" });
  assert.deepEqual([bench.takeStates(), bench.runtime.calls], ["", []]);
});

test("an uninstalled app is stopped and removed", async () => {
  const bench = await healthyBench();
  bench.desired = undefined;
  assert.deepEqual(await bench.reconcile(), { kind: "absent" });
  assert.equal(bench.takeStates(), "STOPPING STOPPED");
  assert.equal(bench.container, undefined);
  assert.deepEqual(bench.forgotten, ["com.example.notes"]);
});

test("a container of another installation, or without a deployment record, is never changed", async () => {
  const bench = new Bench();
  const labels = { [containerLabels.instance]: "other", [containerLabels.appId]: desiredApp().id };
  const container = { id: "x", name: "app-com.example.notes", status: "running", labels, image: "i" } as const;
  bench.runtime.containers.set(container.name, container);
  bench.desired = undefined;
  await bench.reconcile();
  bench.runtime.containers.set(container.name, { ...container, labels: { ...labels, [containerLabels.instance]: "test" } });
  await bench.reconcile();
  assert.deepEqual(bench.runtime.calls, []);
});

test("a container name that is already taken fails the deployment permanently, and the error names the owner", async () => {
  const bench = new Bench();
  bench.runtime.failures.set("create", new ContainerError("name_conflict", "taken by the installation other"));
  await bench.reconcile();
  assert.equal(bench.takeStates(), "PENDING PULLING CREATING FAILED");
  assert.ok(bench.deployment.final);
  assert.match(bench.deployment.lastError?.message ?? "", /other/);
});

test("a removed container of a healthy deployment: FAILED, then a new deployment at once, not counted", async () => {
  const bench = await healthyBench();
  bench.runtime.containers.clear();
  await bench.reconcile();
  assert.equal(bench.takeStates(), `FAILED ${fresh}`);
  assert.equal(bench.deployments.all.length, 2);
  assert.equal(bench.deployment.restartCount, 0);
});

test("a container of a healthy deployment that died: FAILED, then a new deployment after the back-off", async () => {
  const bench = await healthyBench();
  bench.runtime.end("app-com.example.notes", 1);
  assert.deepEqual(await bench.reconcile(), { kind: "watching", lookAgainMs: 10_000 });
  assert.equal(bench.takeStates(), "FAILED PENDING");
  await bench.clock.advance(10_000);
  await bench.reconcile();
  assert.equal(bench.takeStates(), "PULLING CREATING STARTING HEALTHY");
  assert.equal(bench.deployment.restartCount, 1);
  assert.equal(bench.container?.id, "c2");
});

test("at start, stopped containers are started without back-off and without counting", async () => {
  const bench = await healthyBench();
  bench.runtime.end("app-com.example.notes", 137);
  await bench.reconcile(true);
  assert.equal(bench.takeStates(), "RESTARTING STARTING HEALTHY");
  assert.deepEqual([bench.deployment.restartCount, bench.container?.id], [0, "c1"]);
});

test("an app that never becomes healthy is restarted three times, then FAILED with the reason, and stopped", async () => {
  const bench = new Bench();
  bench.isHealthy = false;
  await letTimePass(bench, 15 * 60_000);
  assert.equal(
    bench.takeStates(),
    `PENDING PULLING CREATING ${"STARTING STARTING RESTARTING ".repeat(3)}STARTING STARTING FAILED`,
  );
  const { final, lastError, restartCount } = bench.deployment;
  assert.deepEqual([final, restartCount, bench.container?.status], [true, 3, "exited"]);
  assert.equal(
    lastError?.message,
    "the app was not healthy within 120 s of its start: GET /healthz returned 503; restarted 3 times within 60 minutes",
  );
});

test("an app that is still starting reports each result of its health check once", async () => {
  const bench = new Bench();
  bench.isHealthy = false;
  const reconciling = bench.reconcile();
  while (bench.deployments.all.at(-1)?.state !== "STARTING") await new Promise((resolve) => setImmediate(resolve));
  await bench.clock.advance(20_000);
  assert.equal(bench.takeStates(), "PENDING PULLING CREATING STARTING STARTING");
  assert.equal(bench.deployment.lastError?.message, "the app is not healthy yet: GET /healthz returned 503");
  bench.isHealthy = true;
  await bench.clock.advance(1_000);
  await reconciling;
  assert.deepEqual([bench.deployment.state, bench.deployment.lastError], ["HEALTHY", undefined]);
});

test("an app that exited is recorded with its last words", async () => {
  const bench = await healthyBench();
  bench.runtime.log = "listening\nError: FOO is not configured\n    at main.ts:3:7\n";
  bench.runtime.end("app-com.example.notes", 1);
  await bench.reconcile();
  assert.equal(bench.deployment.lastError?.message, 'the app ended by itself with code 1: "Error: FOO is not configured"');
});

test("failed health checks in a row make it UNHEALTHY; one success before the restart recovers it", async () => {
  const bench = await healthyBench();
  bench.isHealthy = false;
  for (let failure = 1; failure <= 3; failure++) {
    assert.equal(bench.takeStates(), "");
    await bench.clock.advance(30_000);
    await bench.reconcile();
  }
  assert.equal(bench.takeStates(), "UNHEALTHY");
  assert.equal(bench.deployment.endpoint, "http://app-com.example.notes:3000");
  bench.isHealthy = true;
  await bench.clock.advance(10_000);
  await bench.reconcile();
  assert.equal(bench.takeStates(), "HEALTHY");
  assert.equal(bench.deployment.lastError, undefined);
});

test("if it is still unhealthy after the back-off, it is restarted", async () => {
  const bench = await healthyBench();
  bench.isHealthy = false;
  await letTimePass(bench, 95_000);
  assert.equal(bench.takeStates(), "UNHEALTHY");
  await bench.clock.advance(10_000);
  const restarting = bench.reconcile();
  await bench.clock.advance(0);
  bench.isHealthy = true;
  await bench.clock.advance(1_000);
  await restarting;
  assert.equal(bench.takeStates(), "RESTARTING STARTING HEALTHY");
  assert.equal(bench.deployment.restartCount, 1);
});

test("pull failures: unknown image and timeout are final (docs/interface/errors.md#orchestrator-errors)", async () => {
  for (const [reason, text] of [
    ["image_not_found", "repository not found"],
    ["pull_timeout", "timeout pulling image"],
  ] as const) {
    const bench = new Bench();
    bench.runtime.failures.set("pull", new ContainerError(reason, "as the engine says"));
    await bench.reconcile();
    assert.equal(bench.takeStates(), "PENDING PULLING FAILED");
    assert.ok(bench.deployment.final);
    assert.equal(bench.deployment.lastError?.message, `${text}: registry.test/com.example.notes:latest`);
  }
});

test("a pull that takes too long is aborted", async () => {
  const bench = new Bench();
  bench.runtime.pulling = (signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new ContainerError("pull_timeout", "aborted")));
    });
  const reconciled = bench.reconcile();
  await bench.clock.advance(0);
  await bench.clock.advance(600_000);
  await reconciled;
  assert.equal(bench.takeStates(), "PENDING PULLING FAILED");
  assert.match(bench.deployment.lastError?.message ?? "", /timeout pulling image/);
});

test("a temporary failure of the engine is retried after the back-off", async () => {
  const bench = new Bench();
  bench.runtime.failures.set("create", new ContainerError("other", "no space left on device"));
  await bench.reconcile();
  assert.equal(bench.takeStates(), "PENDING PULLING CREATING PENDING");
  await bench.clock.advance(10_000);
  await bench.reconcile();
  assert.equal(bench.takeStates(), "PULLING CREATING STARTING HEALTHY");
});

test("an unreachable engine fails no deployment", async () => {
  const bench = new Bench();
  bench.runtime.failures.set("pull", new ContainerError("unreachable", "Cannot connect to Docker daemon"));
  await assert.rejects(bench.reconcile(), /Cannot connect/);
  await bench.reconcile();
  assert.equal(bench.takeStates(), fresh);
});

test("configuration errors, invalid stages and ambiguous names are refused and recorded", async () => {
  const stage = new Bench();
  stage.desired = desiredApp({ imageStage: "../evil" });
  await stage.reconcile();
  assert.equal(stage.takeStates(), "PENDING FAILED");
  assert.partialDeepStrictEqual(stage.deployment.lastError, {
    code: "INVALID_REQUEST",
    message: 'not a valid image stage: "../evil"; expected latest, pre-release, testing',
  });
  const twin = new Bench();
  twin.others = [desiredApp({ id: "0193b8f0-0000-7000-8000-000000000000", name: "com.example-notes" })];
  await twin.reconcile();
  assert.equal(twin.takeStates(), "PENDING FAILED");
  assert.match(twin.deployment.lastError?.message ?? "", /UPSTREAM_COM_EXAMPLE_NOTES/);
});

test("a deployment that was given up is retried by a new generation, or on request", async () => {
  const bench = new Bench();
  bench.runtime.failures.set("pull", new ContainerError("image_not_found", ""));
  await bench.reconcile();
  await bench.clock.advance(3_600_000);
  await bench.reconcile();
  assert.equal(bench.takeStates(), "PENDING PULLING FAILED");
  bench.desired = desiredApp({ generation: 2 });
  await bench.reconcile();
  assert.equal(bench.takeStates(), `STOPPING STOPPED ${fresh}`);
  await bench.deployments.requestRestart("com.example.notes", new Date(bench.clock.now()));
  await bench.reconcile();
  assert.equal(bench.takeStates(), `STOPPING STOPPED ${fresh}`);
  assert.equal(bench.deployment.generation, 2);
});

test("an older generation in the desired state is a stale read and changes nothing", async () => {
  const bench = await healthyBench();
  bench.desired = desiredApp({ generation: 0 });
  await bench.reconcile();
  assert.equal(bench.takeStates(), "");
});

test("an orchestrator that lost the lease writes nothing", async () => {
  const bench = await healthyBench();
  bench.runtime.containers.clear();
  bench.fence = 0;
  await assert.rejects(bench.reconcile(), (error) => isAppError(error, "CONFLICT"));
  assert.equal(bench.takeStates(), "");
});

test("after a kill before any write of an installation, it ends healthy with one container", async () => {
  for (let write = 1; write <= 5; write++) {
    const bench = new Bench();
    bench.deployments.killAtWrite = write;
    await assert.rejects(bench.reconcile(), /killed/);
    await bench.reconcile(true);
    assert.equal(bench.deployment.state, "HEALTHY", `killed before write ${write}`);
    assert.deepEqual([bench.runtime.containers.size, bench.deployments.all.length], [1, 1]);
  }
});

test("after a kill before any write of an uninstallation, nothing is left", async () => {
  for (let write = 6; write <= 7; write++) {
    const bench = new Bench();
    bench.deployments.killAtWrite = write;
    await bench.reconcile();
    bench.desired = undefined;
    await assert.rejects(bench.reconcile(), /killed/);
    await bench.reconcile(true);
    assert.deepEqual([bench.deployment.state, bench.runtime.containers.size], ["STOPPED", 0]);
  }
});

test("only installed dependencies get an UPSTREAM_ variable", async () => {
  const bench = new Bench();
  const clock = desiredApp({ id: "0193b8f0-0000-7000-8000-000000000002", name: "com.example.clock" });
  bench.others = [clock];
  bench.desired = desiredApp({ dependencies: [{ name: "com.example.clock" }, { name: "com.example.absent" }] });
  const create = bench.runtime.create.bind(bench.runtime);
  let environment: Readonly<Record<string, string>> = {};
  bench.runtime.create = (spec) => {
    environment = spec.environment;
    return create(spec);
  };
  await bench.reconcile();
  const upstreams = Object.entries(environment).filter(([name]) => name.startsWith("UPSTREAM_"));
  assert.deepEqual(Object.fromEntries(upstreams), {
    UPSTREAM_COM_EXAMPLE_CLOCK: "http://app-com.example.clock:3000",
    UPSTREAM_COM_EXAMPLE_NOTES: "http://app-com.example.notes:3000",
  });
});
