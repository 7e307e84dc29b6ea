import assert from "node:assert/strict";
import { test } from "node:test";
import { desiredApp, desiredRelease, options } from "../../test/fixtures.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { SupervisingRuntime } from "../../test/supervising-runtime.ts";
import { bothLoops, fresh, healthyFixture, next, plain } from "../../test/switch-fixture.ts";

type Fixture = ReconcileFixture<SupervisingRuntime>;

/** An installed app on an engine that supervises containers itself. The orchestrator's own checks would fail. */
function supervised(): Fixture {
  const fixture = new ReconcileFixture(new SupervisingRuntime());
  fixture.isHealthy = false;
  return fixture;
}

async function healthy(): Promise<Fixture> {
  const fixture = await healthyFixture(new SupervisingRuntime());
  fixture.isHealthy = false;
  return fixture;
}

/** Advances the clock until a reconciliation ends. */
async function settled(fixture: Fixture, work: Promise<unknown> = fixture.reconcile()): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) await fixture.clock.advance(500);
  await done;
}

/** Lets an interval of the health check pass. */
async function check(fixture: Fixture): Promise<void> {
  await fixture.clock.advance(30_000);
  await settled(fixture);
}

test("an app is healthy when the engine says so, and no request is sent to it", async () => {
  const fixture = supervised();
  fixture.runtime.fresh = { isReady: false, startedAt: new Date(0) };
  const reconciling = fixture.reconcile();
  while (fixture.deployments.all.at(-1)?.state !== "STARTING") await new Promise((resolve) => setImmediate(resolve));
  await fixture.clock.advance(6_000);
  assert.equal(fixture.deployment.lastError?.message, "the app is not healthy yet: none of its instances is ready");
  fixture.runtime.update((instance) => instance, { wanted: 0 });
  await fixture.clock.advance(1_000);
  assert.equal(fixture.container?.wanted, 1, "another program has changed it");
  fixture.runtime.update((instance) => ({ ...instance, isReady: true }));
  await fixture.clock.advance(1_000);
  await reconciling;
  assert.deepEqual([fixture.deployment.state, fixture.deployment.endpoint], ["HEALTHY", `http://${plain}:3000`]);
});

test("the engine gets the health check, the start timeout and the grace of a stop", async () => {
  const { runtime } = await healthy();
  assert.deepEqual(runtime.specs[0]?.supervision, {
    health: { path: "/healthz", intervalMs: 30_000, timeoutMs: 5_000, threshold: 3 },
    startTimeoutMs: options.startTimeoutMs,
    stopGraceMs: options.stopTimeoutMs,
  });
});

test("a container with another health check than the engine carries out is out of date", async () => {
  const plansAfterChange = async (fixture: ReconcileFixture): Promise<unknown> => {
    fixture.desired = desiredApp({ healthCheck: { path: "/healthz" } });
    await fixture.reconcile();
    fixture.options = { ...options, healthCheckRetries: 9 };
    await fixture.clock.advance(30_000);
    await fixture.reconcile();
    const { wantedConfiguration, healthPlan } = fixture.deployment;
    return [wantedConfiguration !== undefined, healthPlan?.threshold];
  };
  assert.deepEqual(await plansAfterChange(new ReconcileFixture(new SupervisingRuntime())), [true, 3]);
  assert.deepEqual(await plansAfterChange(new ReconcileFixture()), [false, 9], "the orchestrator's own checks change at once");
});

test("a restart by the engine is counted with the app's last output, and the state stays", async () => {
  const fixture = await healthy();
  fixture.runtime.log = "listening\n";
  fixture.runtime.endedLog = "Error: out of cheese\n";
  fixture.runtime.crash({ exitCode: 9, cause: "exit" });
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "HEALTHY");
  const { restartCount, restarts, lastCrash, lastError } = fixture.deployment;
  assert.deepEqual([restartCount, restarts.length, lastError], [1, 1, undefined]);
  assert.deepEqual(lastCrash, { at: new Date(1_000), exitCode: 9, output: ["Error: out of cheese"] });
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "", "it is counted once");
  assert.deepEqual(fixture.runtime.calls, []);
});

test("an app that is being started shows why it ended", async () => {
  const fixture = supervised();
  fixture.runtime.fresh = { isReady: false, startedAt: new Date(0) };
  const reconciling = fixture.reconcile();
  while (fixture.deployments.all.at(-1)?.state !== "STARTING") await new Promise((resolve) => setImmediate(resolve));
  fixture.runtime.crash({ exitCode: 137, cause: "memory" });
  await fixture.clock.advance(500);
  const reason = "the app used more memory than its limit, and was ended with code 137";
  assert.deepEqual([fixture.deployment.state, fixture.deployment.lastError?.message], ["STARTING", reason]);
  fixture.runtime.update((instance) => ({ ...instance, isReady: true }));
  await settled(
    fixture,
    reconciling.then(() => {}),
  );
  assert.deepEqual([fixture.deployment.state, fixture.deployment.restartCount], ["HEALTHY", 1]);
});

test("an app that the engine has restarted too often is FAILED unless an instance is ready, and is stopped", async () => {
  const fixture = await healthy();
  fixture.runtime.endedLog = "Error: FOO is not configured\n";
  for (let end = 1; end <= 3; end++) {
    fixture.runtime.crash();
    await fixture.reconcile();
  }
  assert.equal(fixture.takeStates(), "HEALTHY HEALTHY HEALTHY");
  fixture.runtime.crash(undefined, { isReady: true });
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "HEALTHY", "it serves");
  fixture.runtime.log = "listening";
  fixture.runtime.crash({ at: new Date(fixture.clock.now()), exitCode: 1, cause: "exit" });
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "FAILED");
  const { final, lastError, restartCount, lastCrash } = fixture.deployment;
  assert.deepEqual([final, restartCount, lastCrash?.exitCode], [true, 5, 1]);
  const reason = 'the app exited with code 1: "Error: FOO is not configured"; restarted 5 times within 60 minutes';
  assert.equal(lastError?.message, reason);
  assert.deepEqual(lastCrash?.output, ["Error: FOO is not configured"]);
  assert.deepEqual([fixture.container?.status, fixture.runtime.calls], ["exited", [`stop ${plain}`]]);
});

test("an app that begins to end after a long time is FAILED as well, and one that ends rarely is not", async () => {
  const fixture = await healthy();
  const crashes = async (count: number, everyMs: number): Promise<void> => {
    for (let end = 1; end <= count; end++) {
      fixture.runtime.crash();
      await fixture.reconcile();
      fixture.runtime.update((instance) => ({ ...instance, isReady: true }));
      await fixture.clock.advance(everyMs);
      await fixture.reconcile();
    }
  };
  await fixture.clock.advance(11 * 60_000);
  await crashes(6, 11 * 60_000);
  assert.deepEqual([fixture.deployment.state, fixture.deployment.restartCount], ["HEALTHY", 6]);
  await crashes(4, 20_000);
  assert.deepEqual([fixture.deployment.state, fixture.deployment.restartCount], ["FAILED", 10]);
});

test("restarts while no orchestrator ran are counted, of every instance", async () => {
  const fixture = await healthy();
  fixture.runtime.crash(undefined, { times: 3, isReady: true });
  await fixture.reconcile(true);
  assert.equal(fixture.deployment.restartCount, 3);
  fixture.runtime.crash(undefined, { times: 2 });
  fixture.runtime.update(({ id, ...instance }) => ({ ...instance, id: `${id}-replaced`, restarts: 0 }));
  await fixture.reconcile();
  assert.equal(fixture.deployment.restartCount, 3, "another instance begins at 0");
});

test("a next deployment that ends has failed, and the current one serves", async () => {
  const fixture = await healthy();
  fixture.desired = desiredApp({ next: desiredRelease() });
  fixture.runtime.fresh = { isReady: false, startedAt: new Date(0) };
  const switching = fixture.reconcile(false, "switching");
  while (fixture.deployments.all.at(-1)?.state !== "STARTING") await new Promise((resolve) => setImmediate(resolve));
  const name = fixture.deployment.containerName;
  const view = fixture.runtime.containers.get(name);
  assert.ok(view);
  const instances = view.instances.map((instance) => ({ ...instance, restarts: 1 }));
  fixture.runtime.containers.set(name, { ...view, instances });
  await settled(
    fixture,
    switching.then(() => {}),
  );
  assert.equal(fixture.takeStates(), next.replace("HEALTHY", "FAILED"));
  assert.equal((await fixture.deployments.ofApp("com.example.notes")).current?.state, "HEALTHY");
});

test("an app without a ready instance becomes UNHEALTHY by its threshold, recovers, or is restarted by the engine", async () => {
  const fixture = await healthy();
  fixture.runtime.update((instance) => ({ ...instance, isReady: false }));
  await check(fixture);
  await check(fixture);
  assert.equal(fixture.takeStates(), "");
  await check(fixture);
  assert.equal(fixture.takeStates(), "UNHEALTHY");
  fixture.runtime.update((instance) => ({ ...instance, isReady: true }));
  await check(fixture);
  assert.equal(fixture.takeStates(), "HEALTHY");
  fixture.runtime.update((instance) => ({ ...instance, isReady: false }));
  for (let at = 0; at < 4; at++) await check(fixture);
  assert.equal(fixture.takeStates(), "UNHEALTHY RESTARTING STARTING HEALTHY");
  assert.deepEqual(fixture.runtime.calls, [`restart ${plain}`]);
  assert.equal(fixture.deployment.restartCount, 1);
});

test("an app without a health check is checked as well", async () => {
  const fixture = await healthy();
  fixture.desired = desiredApp({ healthCheck: undefined });
  await fixture.reconcile();
  fixture.runtime.update((instance) => ({ ...instance, isReady: false }));
  fixture.takeStates();
  for (let at = 0; at < 3; at++) await check(fixture);
  assert.equal(fixture.takeStates(), "UNHEALTHY");
});

test("a healthy app is checked again without reading its state, and an unready one is not healthy", async () => {
  const fixture = await healthy();
  const rest = await fixture.reconcile();
  assert.ok(rest.kind === "watching" && rest.probeAgain);
  assert.equal(await rest.probeAgain(), 30_000);
  fixture.runtime.crash(undefined, { isReady: true });
  assert.equal(await rest.probeAgain(), undefined, "its end is recorded first");
  await fixture.reconcile();
  fixture.runtime.update((instance) => ({ ...instance, isReady: false }));
  assert.equal(await rest.probeAgain(), undefined);
});

test("a final problem fails the deployment at once with its text, also of an app that was healthy", async () => {
  const problem = { code: "UPSTREAM_ERROR", message: 'violates PodSecurity "restricted"', isFinal: true } as const;
  const fixture = supervised();
  fixture.runtime.fresh = { isReady: false, problem };
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh.replace("HEALTHY", "FAILED"));
  assert.deepEqual([fixture.deployment.final, fixture.deployment.lastError?.message], [true, problem.message]);

  const served = await healthy();
  const other = { code: "UPSTREAM_ERROR", message: "it is being pulled", isFinal: false } as const;
  served.runtime.update((instance) => ({ ...instance, isReady: false, problem: other }));
  served.runtime.update((instance) => ({ ...instance, id: "i9", problem }), { problem: other });
  await check(served);
  assert.equal(served.takeStates(), "FAILED");
  assert.equal(served.deployment.lastError?.message, problem.message);
});

test("an instance that does not start is a fault of the infrastructure after the time of a pull, with the engine's text", async () => {
  const message = "0 of 2 nodes have enough memory";
  const late = "the engine did not start the app within 600 s";
  const texts = { silent: late, reported: `${late}: ${message}` };
  for (const [kind, text] of Object.entries(texts)) {
    const fixture = supervised();
    const problem = { code: "SERVICE_UNAVAILABLE", message, isFinal: false } as const;
    fixture.runtime.fresh = kind === "silent" ? { isReady: false } : { isReady: false, problem };
    const reconciling = fixture.reconcile();
    while (fixture.deployments.all.at(-1)?.state !== "STARTING") await new Promise((resolve) => setImmediate(resolve));
    await fixture.clock.advance(options.pullTimeoutMs - 1_000);
    assert.equal(fixture.deployment.state, "STARTING", "the start timeout has not begun");
    assert.equal(fixture.deployment.fault?.kind, kind === "silent" ? undefined : "engine");
    await settled(
      fixture,
      reconciling.then(() => {}),
    );
    assert.deepEqual([fixture.deployment.state, fixture.deployment.lastError?.message], ["PENDING", text]);
    assert.equal(fixture.deployment.restartCount, 0);
    fixture.runtime.fresh = { isReady: true, startedAt: new Date(0) };
    await fixture.clock.advance(20_000);
    await settled(fixture);
    assert.equal(fixture.deployment.state, "HEALTHY");
  }
});

test("the start timeout begins with the start of an instance, and the last output is stored before a stop removes it", async () => {
  const fixture = supervised();
  fixture.options = { ...options, maxRestarts: 0 };
  fixture.runtime.log = "waiting for a database\n";
  fixture.runtime.fresh = { isReady: false };
  const reconciling = fixture.reconcile();
  while (fixture.deployments.all.at(-1)?.state !== "STARTING") await new Promise((resolve) => setImmediate(resolve));
  await fixture.clock.advance(options.startTimeoutMs);
  fixture.runtime.update((instance) => ({ ...instance, startedAt: new Date(1) }));
  await fixture.clock.advance(options.startTimeoutMs - 1_000);
  assert.equal(fixture.deployment.state, "STARTING");
  await settled(
    fixture,
    reconciling.then(() => {}),
  );
  const { state, lastError, lastCrash } = fixture.deployment;
  assert.match(lastError?.message ?? "", /^the app was not healthy within 120 s of its start: none of its instances is ready/);
  assert.deepEqual([state, fixture.container?.status, lastCrash?.output], ["FAILED", "exited", ["waiting for a database"]]);
});

test("an app that ended before, and then fails without an end, has its last output stored", async () => {
  for (const maxRestarts of [1, 2]) {
    const fixture = await healthy();
    fixture.options = { ...options, maxRestarts };
    fixture.runtime.endedLog = "Error: an end of another day\n";
    fixture.runtime.crash({ at: new Date(fixture.clock.now()), exitCode: 1, cause: "exit" });
    await fixture.clock.advance(1_000);
    await fixture.reconcile();
    assert.equal(fixture.deployment.lastCrash?.exitCode, 1);
    fixture.runtime.log = "waiting for a database\n";
    fixture.runtime.fresh = { isReady: false, startedAt: new Date(0) };
    while (fixture.deployment.state !== "FAILED") await check(fixture);
    const { restartCount, lastCrash } = fixture.deployment;
    assert.deepEqual([restartCount, lastCrash?.output], [maxRestarts, ["waiting for a database"]]);
  }
});

test("a pull has no progress, and shows that the registry is back", async () => {
  const fixture = supervised();
  fixture.registry.failed("com.example.other");
  await fixture.reconcile();
  assert.deepEqual(fixture.woken, ["com.example.other"]);
});

test("another number of instances, and a stop, by another program are corrected without being counted", async () => {
  const fixture = await healthy();
  await fixture.runtime.start(plain, 3);
  fixture.runtime.calls.length = 0;
  await fixture.reconcile();
  assert.deepEqual([fixture.takeStates(), fixture.runtime.calls], ["", [`start ${plain} 1`]]);
  fixture.runtime.update((instance) => instance, { wanted: 0 });
  await fixture.reconcile();
  assert.equal(fixture.container?.wanted, 1);
  await fixture.clock.advance(60_000);
  fixture.runtime.end(plain);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "RESTARTING STARTING HEALTHY");
  assert.deepEqual([fixture.deployment.restartCount, fixture.container?.wanted], [0, 1]);
});

test("a container that another program stops again and again is started every 5 s", async () => {
  const fixture = await healthy();
  const restart = fixture.runtime.restart.bind(fixture.runtime);
  fixture.runtime.restart = async (name) => {
    const view = await restart(name);
    fixture.runtime.end(name);
    return view;
  };
  fixture.runtime.end(plain);
  for (let second = 0; second < 60; second++) {
    await fixture.reconcile();
    await fixture.clock.advance(1_000);
  }
  assert.equal(fixture.runtime.calls.filter((call) => call === `restart ${plain}`).length, 11);
  assert.equal(fixture.deployment.restartCount, 0);
});

test("an app that sleeps has no instance, until it is woken", async () => {
  const fixture = await healthy();
  fixture.deployments.requestSleep(fixture.deployment.appId);
  await fixture.reconcile();
  await fixture.reconcile(true);
  assert.equal(fixture.takeStates(), "ASLEEP");
  assert.deepEqual([fixture.container?.status, fixture.container?.wanted, fixture.container?.instances], ["exited", 0, []]);
  await fixture.deployments.requestWake(fixture.deployment.appId);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "STARTING HEALTHY");
  assert.deepEqual([fixture.deployment.restartCount, fixture.container?.wanted], [0, 1]);
});

test("an app whose stop was interrupted when it fell asleep is woken with its instance", async () => {
  const fixture = await healthy();
  fixture.deployments.requestSleep(fixture.deployment.appId);
  fixture.runtime.killAtCall = 1;
  await assert.rejects(fixture.reconcile(), /killed/);
  assert.equal(fixture.takeStates(), "ASLEEP");
  // The last instance still ends.
  fixture.runtime.update((instance) => instance, { wanted: 0 });
  await fixture.deployments.requestWake(fixture.deployment.appId);
  await fixture.reconcile();
  assert.deepEqual([fixture.takeStates(), fixture.container?.wanted], ["STARTING HEALTHY", 1]);
});

test("a release that replaces another one starts after the last instance of that has gone, and takes over", async () => {
  const fixture = await healthy();
  fixture.desired = desiredApp({ next: desiredRelease({ strategy: "replace" }) });
  const first = fixture.reconcile(false, "switching");
  while (fixture.deployments.all.at(-1)?.state !== "CREATING") await new Promise((resolve) => setImmediate(resolve));
  fixture.runtime.update((instance) => instance, { wanted: 0 });
  await fixture.clock.advance(2_000);
  assert.equal(fixture.runtime.containers.size, 1, "the stopped one still has an instance");
  await settled(fixture);
  await settled(
    fixture,
    first.then(() => {}),
  );
  assert.deepEqual([fixture.container?.status, fixture.container?.instances], ["exited", []]);
  await settled(fixture, bothLoops(fixture));
  assert.match(fixture.takeStates(), /next:HEALTHY$/);
});
