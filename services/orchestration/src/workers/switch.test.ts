import assert from "node:assert/strict";
import { test } from "node:test";
import { ContainerError, containerLabels } from "@appserver/kernel/ports";
import { desiredApp, desiredRelease, options } from "../../test/fixtures.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import {
  beside,
  bothLoops,
  fresh,
  healthyFixture,
  names,
  next,
  plain,
  roles,
  upgraded,
  upgradingFixture,
} from "../../test/switch-fixture.ts";

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
  let isDone = false;
  const switching = fixture.reconcile(false, "switching").finally(() => {
    isDone = true;
  });
  while (!isDone) {
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
