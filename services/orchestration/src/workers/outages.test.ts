import assert from "node:assert/strict";
import { test } from "node:test";
import { ContainerError } from "@appserver/kernel/ports";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { healthyFixture } from "../../test/switch-fixture.ts";

/** A deployment that has waited for the registry so long that its back-off is 5 min. */
async function waitingFixture(): Promise<ReconcileFixture> {
  const fixture = new ReconcileFixture();
  for (let attempt = 1; attempt <= 6; attempt++) {
    fixture.runtime.failures.set("pull", new ContainerError("pull_failed", "connection refused"));
    await fixture.clock.advance(300_000);
    await fixture.reconcile();
  }
  assert.equal(fixture.deployment.notBefore?.getTime(), fixture.clock.now() + 300_000);
  fixture.takeStates();
  fixture.runtime.calls.length = 0;
  return fixture;
}

test("an app that waits for the registry asks it every 15 s, whatever its back-off", async () => {
  const fixture = await waitingFixture();
  assert.deepEqual(await fixture.reconcile(), { kind: "watching", lookAgainMs: 15_000 });
  assert.equal(fixture.takeStates(), "");
  await fixture.clock.advance(15_000);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PULLING CREATING STARTING HEALTHY");
});

test("of many apps that wait for the registry one asks it, and all pull when it has responded", async () => {
  const [first, second] = [await waitingFixture(), await waitingFixture()];
  // Both wait at the same registry of one orchestrator.
  const shared = { ...second.orchestrationContext, registry: first.registry };
  await first.clock.advance(15_000);
  assert.ok(first.registry.mayTry(first.deployment));
  first.registry.failed("com.example.other");
  first.registry.tried();
  assert.ok(!shared.registry.mayTry(first.deployment), "another app has asked it just now");
  first.registry.responded();
  assert.deepEqual([...first.woken].sort(), ["com.example.notes", "com.example.other"]);
  assert.ok(first.registry.mayTry(first.deployment));
});

test("a registry that allows no more pulls is asked after the back-off only", async () => {
  const fixture = new ReconcileFixture();
  for (let attempt = 1; attempt <= 3; attempt++) {
    fixture.runtime.failures.set("pull", new ContainerError("pull_limited", "toomanyrequests"));
    await fixture.clock.advance(300_000);
    await fixture.reconcile();
  }
  fixture.registry.responded();
  fixture.takeStates();
  await fixture.clock.advance(39_000);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "");
  await fixture.clock.advance(1_000);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PULLING CREATING STARTING HEALTHY");
});

test("containers that ended with the engine are started again at once and are not counted", async () => {
  const fixture = await healthyFixture();
  const run = fixture.reconciler().run(fixture.abort.signal);
  await fixture.clock.advance(1_000);
  const inspect = fixture.runtime.inspect.bind(fixture.runtime);
  fixture.runtime.inspect = () => Promise.reject(new ContainerError("unreachable", "Cannot connect to Docker daemon"));
  fixture.isHealthy = false;
  await fixture.clock.advance(40_000);
  fixture.runtime.end("app-com.example.notes", 137);
  fixture.runtime.inspect = inspect;
  fixture.isHealthy = true;
  await fixture.clock.advance(40_000);
  assert.equal(fixture.takeStates(), "RESTARTING STARTING HEALTHY");
  assert.deepEqual([fixture.deployment.restartCount, fixture.deployment.restarts], [0, []]);
  fixture.runtime.end("app-com.example.notes", 1);
  fixture.isHealthy = false;
  await fixture.clock.advance(31_000);
  assert.equal(fixture.deployment.restartCount, 1, "a later crash is one");
  fixture.abort.abort();
  await run;
});

test("an app that ends again and again at the start of the orchestrator is a crash", async () => {
  const fixture = await healthyFixture();
  fixture.runtime.end("app-com.example.notes", 137);
  const start = fixture.runtime.start.bind(fixture.runtime);
  fixture.runtime.start = async (name) => {
    const started = await start(name);
    fixture.runtime.end(name, 1);
    return started;
  };
  await fixture.reconcile(true);
  assert.equal(fixture.takeStates(), "RESTARTING STARTING RESTARTING");
  assert.equal(fixture.deployment.restartCount, 1);
});
