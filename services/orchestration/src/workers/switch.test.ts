import assert from "node:assert/strict";
import { test } from "node:test";
import { ContainerError, containerLabels } from "@appserver/kernel/ports";
import { desiredApp, desiredRelease, options, ReconcileFixture } from "../../test/memory-parts.ts";
import type { DesiredApp, DesiredRelease } from "../domain/desired-app.ts";

const fresh = "PENDING PULLING CREATING STARTING HEALTHY";
const plain = "app-com.example.notes";
const beside = "app-com.example.notes-g2";
const next = fresh.replaceAll(/\w+/g, (state) => `next:${state}`);

const upgraded = (changes: Partial<DesiredApp> = {}): DesiredApp =>
  desiredApp({ version: "2.0.0", generation: 2, manifestDigest: "digest-2", ...changes });

async function healthyFixture(): Promise<ReconcileFixture> {
  const fixture = new ReconcileFixture();
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh);
  fixture.runtime.calls.length = 0;
  return fixture;
}

/** A healthy app with a next release. */
async function upgradingFixture(changes: Partial<DesiredRelease> = {}): Promise<ReconcileFixture> {
  const fixture = await healthyFixture();
  fixture.desired = desiredApp({ next: desiredRelease(changes) });
  return fixture;
}

async function roles(fixture: ReconcileFixture): Promise<Readonly<Record<string, string>>> {
  const found = await fixture.deployments.withRole();
  return Object.fromEntries(found.map(({ role, appVersion, state }) => [role, `${appVersion} ${state}`]));
}

function names(fixture: ReconcileFixture): readonly string[] {
  return [...fixture.runtime.containers.values()].map(({ name, status }) => `${name} ${status}`).sort();
}

/** Settles one pass of both loops. */
async function bothLoops(fixture: ReconcileFixture, isStartup = false): Promise<void> {
  await fixture.reconcile(isStartup);
  await fixture.reconcile(isStartup, "switching");
}

test("the next release runs while the current one serves, and takes over without a restart after the switch", async () => {
  const fixture = await upgradingFixture();
  const current = fixture.container;
  await bothLoops(fixture);
  assert.equal(fixture.takeStates(), next);
  assert.deepEqual(names(fixture), [`${beside} running`, `${plain} running`].sort());
  assert.deepEqual(fixture.runtime.containers.get(plain), current);
  assert.equal(fixture.runtime.containers.get(beside)?.labels[containerLabels.generation], "2");
  const { endpoint, containerId } = fixture.deployment;

  fixture.desired = upgraded();
  fixture.runtime.calls.length = 0;
  await fixture.reconcile();
  assert.deepEqual(await roles(fixture), { retiring: "1.0.0 HEALTHY", current: "2.0.0 HEALTHY" });
  assert.equal(fixture.takeStates(), "HEALTHY");
  await fixture.reconcile(false, "switching");
  assert.equal(fixture.takeStates(), "retiring:STOPPING retiring:STOPPED");
  await fixture.reconcile();
  assert.deepEqual(await roles(fixture), { current: "2.0.0 HEALTHY" });
  assert.deepEqual(fixture.runtime.calls, [`stop ${plain}`, `remove ${plain}`, `rename ${beside} ${plain}`]);
  assert.deepEqual(names(fixture), [`${plain} running`]);
  const { deployment } = fixture;
  assert.deepEqual([deployment.containerName, deployment.endpoint, deployment.containerId], [plain, endpoint, containerId]);
  assert.deepEqual(await fixture.reconcile(false, "switching"), { kind: "absent" });
  assert.equal(fixture.takeStates(), "");
});

test("a renamed container is reached by its first name", async () => {
  const fixture = await upgradingFixture();
  const create = fixture.runtime.create.bind(fixture.runtime);
  let aliases: readonly string[] | undefined;
  fixture.runtime.create = (spec) => {
    aliases = spec.aliases;
    return create(spec);
  };
  await bothLoops(fixture);
  assert.deepEqual(aliases, [beside]);
});

test("a release with a known image runs by its digest", async () => {
  const fixture = await upgradingFixture({ imageDigest: "sha256:two" });
  await bothLoops(fixture);
  assert.equal(fixture.runtime.containers.get(beside)?.image, "registry.test/com.example.notes:latest@sha256:two");
});

for (const [failure, prepare, message] of [
  [
    "its image is missing",
    (fixture: ReconcileFixture) => fixture.runtime.failures.set("pull", new ContainerError("image_not_found", "")),
    /^repository not found: /,
  ],
  [
    "the engine fails",
    (fixture: ReconcileFixture) => fixture.runtime.failures.set("create", new ContainerError("other", "no space left")),
    /^no space left$/,
  ],
  [
    "it cannot be started",
    (fixture: ReconcileFixture) => fixture.runtime.failures.set("start", new ContainerError("start_failed", "exec format")),
    /^exec format$/,
  ],
] as const) {
  test(`a next release has one attempt: ${failure}`, async () => {
    const fixture = await upgradingFixture();
    const current = fixture.container;
    prepare(fixture);
    await bothLoops(fixture);
    await fixture.clock.advance(600_000);
    await bothLoops(fixture);
    assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY", next: "2.0.0 FAILED" });
    assert.ok(fixture.deployment.final);
    assert.match(fixture.deployment.lastError?.message ?? "", message);
    assert.deepEqual(fixture.container, current);

    fixture.desired = desiredApp();
    await bothLoops(fixture);
    assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY" });
    assert.deepEqual(names(fixture), [`${plain} running`]);
  });
}

test("a next release that does not become healthy fails after the start timeout, while the current one is checked", async () => {
  const fixture = await upgradingFixture();
  fixture.unhealthy.add(`http://${beside}:3000`);
  const switching = fixture.reconcile(false, "switching");
  for (let seconds = 0; seconds < 125; seconds += 5) {
    await fixture.clock.advance(5_000);
    await fixture.reconcile();
  }
  await switching;
  assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY", next: "2.0.0 FAILED" });
  assert.equal(
    fixture.deployment.lastError?.message,
    "the app was not healthy within 120 s of its start: GET /healthz returned 503",
  );
  assert.deepEqual([fixture.deployment.restartCount, fixture.container?.status], [0, "running"]);
});

test("a next release becomes HEALTHY only after it was healthy without interruption for the settle time", async () => {
  const fixture = await upgradingFixture();
  fixture.options = { ...options, settleTimeMs: 5_000 };
  const endpoint = `http://${beside}:3000`;
  const switching = fixture.reconcile(false, "switching");
  await fixture.clock.advance(4_000);
  fixture.unhealthy.add(endpoint);
  await fixture.clock.advance(500);
  fixture.unhealthy.clear();
  await fixture.clock.advance(5_000);
  assert.equal((await roles(fixture))["next"], "2.0.0 STARTING");
  await fixture.clock.advance(1_000);
  await switching;
  assert.equal((await roles(fixture))["next"], "2.0.0 HEALTHY");
});

test("a next release that exits before it took over has failed", async () => {
  const settling = await upgradingFixture();
  settling.options = { ...options, settleTimeMs: 5_000 };
  const switching = settling.reconcile(false, "switching");
  await settling.clock.advance(2_000);
  settling.runtime.log = "Error: FOO is not configured";
  settling.runtime.end(beside, 1);
  await settling.clock.advance(1_000);
  await switching;
  assert.equal((await roles(settling))["next"], "2.0.0 FAILED");
  assert.equal(settling.deployment.lastError?.message, 'the app exited with code 1: "Error: FOO is not configured"');

  const healthy = await upgradingFixture();
  await bothLoops(healthy);
  healthy.runtime.end(beside, 1);
  await bothLoops(healthy);
  assert.deepEqual(await roles(healthy), { current: "1.0.0 HEALTHY", next: "2.0.0 FAILED" });
  assert.ok(healthy.deployment.final);
});

test("a release that exited while the app switched to it is started again as the current one", async () => {
  const fixture = await upgradingFixture();
  await bothLoops(fixture);
  fixture.runtime.end(beside, 1);
  await fixture.reconcile(false, "switching");
  fixture.desired = upgraded();
  await bothLoops(fixture);
  await bothLoops(fixture);
  assert.deepEqual(await roles(fixture), { current: "2.0.0 HEALTHY" });
  assert.deepEqual(names(fixture), [`${plain} running`]);
});

test("a cancelled switch stops and removes the next release; another attempt of the same generation starts again", async () => {
  const fixture = await upgradingFixture();
  await bothLoops(fixture);
  fixture.takeStates();
  fixture.desired = desiredApp({ next: desiredRelease({ operationId: "0193b8f0-0000-7000-8000-0000000000a2" }) });
  await bothLoops(fixture);
  assert.equal(fixture.takeStates(), `next:STOPPING next:STOPPED ${next}`);
  fixture.desired = desiredApp();
  await bothLoops(fixture);
  assert.equal(fixture.takeStates(), "next:STOPPING next:STOPPED");
  assert.deepEqual(names(fixture), [`${plain} running`]);
});

test("if the deployment of the new generation is lost, the current one is replaced as in an installation", async () => {
  const fixture = await healthyFixture();
  fixture.desired = upgraded();
  await bothLoops(fixture);
  assert.equal(fixture.takeStates(), `STOPPING STOPPED ${fresh}`);
  assert.deepEqual(names(fixture), [`${plain} running`]);
});

test("a deployment of the same generation but another manifest does not take over", async () => {
  const fixture = await upgradingFixture();
  await bothLoops(fixture);
  fixture.takeStates();
  fixture.desired = desiredApp({ generation: 2, manifestDigest: "digest-3" });
  await bothLoops(fixture);
  assert.equal(fixture.takeStates(), `STOPPING STOPPED ${fresh} next:STOPPING next:STOPPED`);
  assert.deepEqual(names(fixture), [`${plain} running`]);
});

test("uninstalling during a switch removes everything", async () => {
  for (const switched of [false, true]) {
    const fixture = await upgradingFixture();
    fixture.drain = { waiting: 1, exchanges: 1 };
    await bothLoops(fixture);
    if (switched) {
      fixture.desired = upgraded();
      await fixture.reconcile();
    }
    fixture.desired = undefined;
    await bothLoops(fixture);
    assert.deepEqual(names(fixture), []);
    assert.deepEqual(await fixture.reconcile(false, "switching"), { kind: "absent" });
  }
});

test("an app without a container gets one by a switch, without a deployment to retire", async () => {
  const fixture = new ReconcileFixture();
  fixture.desired = desiredApp({ needsContainer: false, next: desiredRelease() });
  await bothLoops(fixture);
  assert.equal(fixture.takeStates(), next);
  fixture.desired = upgraded();
  await bothLoops(fixture);
  assert.deepEqual(await roles(fixture), { current: "2.0.0 HEALTHY" });
  assert.deepEqual(names(fixture), [`${plain} running`]);
});

test("an app that switched to a release without a container is drained before its container is removed", async () => {
  const fixture = await healthyFixture();
  fixture.drain = { waiting: 0, exchanges: 1 };
  fixture.desired = upgraded({ needsContainer: false });
  const removing = fixture.reconcile();
  await fixture.clock.advance(0);
  await fixture.clock.advance(5_000);
  assert.deepEqual(names(fixture), [`${plain} running`]);
  fixture.drain = { waiting: 0, exchanges: 0 };
  await fixture.clock.advance(500);
  await removing;
  assert.equal(fixture.takeStates(), "STOPPING STOPPED");
  assert.deepEqual(names(fixture), []);
});

test("a restart request restarts the current deployment", async () => {
  const fixture = await upgradingFixture();
  await bothLoops(fixture);
  fixture.takeStates();
  await fixture.deployments.requestRestart("com.example.notes", new Date(fixture.clock.now()));
  await bothLoops(fixture);
  assert.equal(fixture.takeStates(), `STOPPING STOPPED ${fresh}`);
  assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY", next: "2.0.0 HEALTHY" });
});

async function retiringFixture(): Promise<ReconcileFixture> {
  const fixture = await upgradingFixture();
  await bothLoops(fixture);
  fixture.drain = { waiting: 1, exchanges: 1 };
  fixture.desired = upgraded();
  await fixture.reconcile();
  return fixture;
}

const isRetiring = async (fixture: ReconcileFixture): Promise<boolean> => (await roles(fixture))["retiring"] !== undefined;

test("the replaced deployment is stopped when every server has reported and its exchanges have ended", async () => {
  const fixture = await retiringFixture();
  const retiring = fixture.reconcile(false, "switching");
  await fixture.clock.advance(5_000);
  fixture.drain = { waiting: 0, exchanges: 1 };
  await fixture.clock.advance(5_000);
  assert.ok(await isRetiring(fixture));
  fixture.drain = { waiting: 0, exchanges: 0 };
  await fixture.clock.advance(500);
  await retiring;
  assert.ok(!(await isRetiring(fixture)));
});

test("exchanges have the drain timeout after the reports; reports have 60 s", async () => {
  const silent = await retiringFixture();
  const slow = silent.reconcile(false, "switching");
  await silent.clock.advance(89_500);
  assert.ok(await isRetiring(silent));
  await silent.clock.advance(1_000);
  await slow;
  assert.ok(!(await isRetiring(silent)));

  const busy = await retiringFixture();
  const draining = busy.reconcile(false, "switching");
  await busy.clock.advance(10_000);
  busy.drain = { waiting: 0, exchanges: 1 };
  await busy.clock.advance(30_000);
  assert.ok(await isRetiring(busy));
  await busy.clock.advance(1_000);
  await draining;
  assert.ok(!(await isRetiring(busy)));
});

test("while the replaced deployment is drained, the current one is repaired, and a third release waits", async () => {
  const fixture = await retiringFixture();
  const third = desiredRelease({
    generation: 3,
    manifestDigest: "digest-3",
    operationId: "0193b8f0-0000-7000-8000-0000000000a3",
  });
  fixture.desired = { ...upgraded(), next: third };
  const retiring = fixture.reconcile(false, "switching");
  fixture.runtime.end(beside, 1);
  await fixture.reconcile();
  await fixture.clock.advance(10_000);
  await fixture.reconcile();
  assert.deepEqual(await roles(fixture), { retiring: "1.0.0 HEALTHY", current: "2.0.0 HEALTHY" });
  assert.deepEqual(names(fixture), [`${beside} running`, `${plain} running`].sort());
  fixture.drain = { waiting: 0, exchanges: 0 };
  await fixture.clock.advance(1_000);
  await retiring;
  assert.equal((await roles(fixture))["next"], "2.0.0 HEALTHY");
});

test("replace: the current deployment is drained and stopped after the pull, before the next one is created", async () => {
  const fixture = await upgradingFixture({ strategy: "replace" });
  fixture.drain = { waiting: 1, exchanges: 0 };
  const switching = fixture.reconcile(false, "switching");
  await fixture.clock.advance(500);
  const pausing = fixture.reconcile();
  await fixture.clock.advance(5_000);
  assert.deepEqual(names(fixture), [`${plain} running`]);
  fixture.drain = { waiting: 0, exchanges: 0 };
  await fixture.clock.advance(500);
  await pausing;
  assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY", next: "2.0.0 CREATING" });
  assert.deepEqual(names(fixture), [`${plain} exited`]);
  await fixture.clock.advance(500);
  await switching;
  assert.deepEqual(await fixture.reconcile(true), { kind: "watching", lookAgainMs: 1_000 });
  assert.deepEqual(names(fixture), [`${beside} running`, `${plain} exited`].sort());
  assert.equal(fixture.takeStates(), next);

  fixture.desired = upgraded();
  await bothLoops(fixture);
  await bothLoops(fixture);
  assert.deepEqual(await roles(fixture), { current: "2.0.0 HEALTHY" });
  assert.deepEqual(names(fixture), [`${plain} running`]);
});

test("replace: if the next release fails, or the switch is cancelled, the current one runs again once the next one is stopped", async () => {
  for (const isCancelled of [false, true]) {
    const fixture = await upgradingFixture({ strategy: "replace" });
    fixture.unhealthy.add(`http://${beside}:3000`);
    const watched = watchRunning(fixture);
    const reconciler = fixture.reconciler();
    const run = reconciler.run(fixture.abort.signal);
    await fixture.clock.advance(1_000);
    await fixture.clock.advance(isCancelled ? 2_000 : 115_000);
    assert.deepEqual(names(fixture), [`${beside} running`, `${plain} exited`].sort());
    fixture.takeStates();
    let goOn = (): void => {};
    const stop = fixture.runtime.stop.bind(fixture.runtime);
    fixture.runtime.stop = async (name) => {
      if (name === beside) await new Promise<void>((resolve) => (goOn = resolve));
      await stop(name);
    };
    if (isCancelled) fixture.desired = desiredApp();
    reconciler.wake();
    await fixture.clock.advance(10_000);
    assert.equal(fixture.takeStates(), isCancelled ? "next:STOPPING" : "next:FAILED");
    assert.equal(fixture.container?.status, "exited");
    goOn();
    await fixture.clock.advance(2_000);
    assert.equal(fixture.takeStates(), `${isCancelled ? "next:STOPPED " : ""}RESTARTING STARTING HEALTHY`);
    const current = fixture.deployments.all.find(({ role }) => role === "current");
    assert.deepEqual([current?.restartCount, current?.pausedAt, fixture.container?.id], [0, undefined, "c1"]);
    assert.equal(watched.most, 1);
    fixture.abort.abort();
    await run;
  }
});

/** Counts the containers that run at the same time. */
function watchRunning({ runtime }: ReconcileFixture): { most: number } {
  const seen = { most: 0 };
  const start = runtime.start.bind(runtime);
  runtime.start = async (name) => {
    const started = await start(name);
    const running = [...runtime.containers.values()].filter(({ status }) => status === "running");
    seen.most = Math.max(seen.most, running.length);
    return started;
  };
  return seen;
}

interface Kill {
  /** Number of the write, or of the call of the engine, before which the reconciler is killed. */
  readonly write?: number;
  readonly call?: number;
}

/** Runs a whole switch with real reconcilers: one that is killed, and one that follows it. */
async function switchWithKill({ write = 0, call = 0 }: Kill, strategy: DesiredRelease["strategy"]): Promise<ReconcileFixture> {
  const fixture = await upgradingFixture({ strategy });
  fixture.deployments.killAtWrite = write + fresh.split(" ").length;
  fixture.runtime.killAtCall = call;
  const watched = watchRunning(fixture);
  const kills = (): number => fixture.deployments.kills + fixture.runtime.kills;
  let stopping = new AbortController();
  let running = fixture.reconciler().run(stopping.signal);
  let reconcilers = 1;
  for (let step = 0; step < 100; step++) {
    await fixture.clock.advance(500);
    // The marketplace switches when the next deployment is HEALTHY.
    const { next: started } = await fixture.deployments.ofApp("com.example.notes");
    if (started?.state === "HEALTHY") fixture.desired = upgraded();
    if (kills() < reconcilers) continue;
    reconcilers += 1;
    stopping.abort();
    await fixture.clock.advance(0);
    await running;
    stopping = new AbortController();
    running = fixture.reconciler(true).run(stopping.signal);
  }
  stopping.abort();
  await fixture.clock.advance(0);
  await running;
  assert.equal(watched.most, strategy === "replace" ? 1 : 2);
  return fixture;
}

for (const [strategy, writes, calls] of [
  ["side_by_side", 9, 6],
  ["replace", 10, 7],
] as const) {
  test(`${strategy}: after a kill at any step of a switch, exactly one deployment runs at the end`, async () => {
    const steps: readonly Kill[] = [
      ...Array.from({ length: writes }, (_, index) => ({ write: index + 1 })),
      ...Array.from({ length: calls }, (_, index) => ({ call: index + 1 })),
    ];
    for (const step of steps) {
      const fixture = await switchWithKill(step, strategy);
      const what = `killed before ${JSON.stringify(step)}`;
      assert.equal(fixture.deployments.kills + fixture.runtime.kills, 1, what);
      assert.deepEqual(await roles(fixture), { current: "2.0.0 HEALTHY" }, what);
      assert.deepEqual(names(fixture), [`${plain} running`], what);
      assert.equal(fixture.deployments.all.length, 2, what);
    }
    const undisturbed = await switchWithKill({ write: writes + 1 }, strategy);
    assert.equal(undisturbed.deployments.kills, 0);
  });
}

test("a container that was renamed before the name could be stored is found by its deployment", async () => {
  const fixture = await upgradingFixture();
  await bothLoops(fixture);
  fixture.desired = upgraded();
  await fixture.reconcile();
  await fixture.reconcile(false, "switching");
  await fixture.runtime.rename(beside, plain);
  fixture.takeStates();
  await fixture.reconcile(true);
  assert.equal(fixture.takeStates(), "");
  assert.deepEqual([fixture.deployment.containerName, names(fixture)], [plain, [`${plain} running`]]);
});
