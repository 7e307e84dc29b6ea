import assert from "node:assert/strict";
import { test } from "node:test";
import { desiredApp, desiredRelease } from "../../test/fixtures.ts";
import {
  beside,
  bothLoops,
  names,
  next,
  plain,
  roles,
  upgraded,
  upgradingFixture,
  watchRunning,
} from "../../test/switch-fixture.ts";

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

test("replace: if the switch is cancelled while the servers still drain, the current deployment is never stopped", async () => {
  const fixture = await upgradingFixture({ strategy: "replace" });
  fixture.drain = { waiting: 1, exchanges: 0 };
  const reconciler = fixture.reconciler();
  const run = reconciler.run(fixture.abort.signal);
  await fixture.clock.advance(5_000);
  const currentOf = async () => (await fixture.deployments.ofApp("com.example.notes")).current;
  assert.notEqual((await currentOf())?.pausedAt, undefined);
  fixture.takeStates();
  fixture.desired = desiredApp();
  reconciler.wake();
  await fixture.clock.advance(2_000);
  // The event without a change of state reports the end of the pause.
  assert.equal(fixture.takeStates(), "next:STOPPING next:STOPPED HEALTHY");
  fixture.drain = { waiting: 0, exchanges: 0 };
  await fixture.clock.advance(120_000);
  assert.deepEqual([(await currentOf())?.pausedAt, names(fixture)], [undefined, [`${plain} running`]]);
  assert.deepEqual(
    fixture.runtime.calls.filter((call) => call.startsWith("stop")),
    [],
  );
  fixture.abort.abort();
  await run;
});

test("replace: the current deployment is marked before it is stopped, and the next one waits until it has stopped", async () => {
  const fixture = await upgradingFixture({ strategy: "replace" });
  let goOn = (): void => {};
  const stop = fixture.runtime.stop.bind(fixture.runtime);
  fixture.runtime.stop = async (name) => {
    await new Promise<void>((resolve) => (goOn = resolve));
    await stop(name);
  };
  const run = fixture.reconciler().run(fixture.abort.signal);
  await fixture.clock.advance(5_000);
  const { current } = await fixture.deployments.ofApp("com.example.notes");
  assert.notEqual(current?.pausedAt, undefined);
  assert.deepEqual(names(fixture), [`${plain} running`]);
  goOn();
  await fixture.clock.advance(5_000);
  assert.deepEqual(names(fixture), [`${beside} running`, `${plain} exited`].sort());
  fixture.abort.abort();
  await run;
});

test("replace: while the image of a further release is pulled, the current deployment runs again", async () => {
  const fixture = await upgradingFixture({ strategy: "replace" });
  const switching = fixture.reconcile(false, "switching");
  await fixture.clock.advance(0);
  await fixture.reconcile();
  await fixture.clock.advance(500);
  await switching;
  assert.deepEqual(names(fixture), [`${beside} running`, `${plain} exited`].sort());

  const operationId = "0193b8f0-0000-7000-8000-0000000000a2";
  const third = desiredRelease({
    strategy: "replace",
    version: "3.0.0",
    generation: 3,
    manifestDigest: "digest-3",
    operationId,
  });
  fixture.desired = desiredApp({ next: third });
  const pulled = Promise.withResolvers<void>();
  fixture.runtime.pulling = () => pulled.promise;
  const pulling = fixture.reconcile(false, "switching");
  await fixture.clock.advance(0);
  // Only now does the other loop look, as after a long stop.
  await fixture.reconcile();
  assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY", next: "3.0.0 PULLING" });
  assert.equal(fixture.container?.status, "running");
  pulled.reject(new Error("over"));
  await assert.rejects(pulling, /over/);
});
