import assert from "node:assert/strict";
import { test } from "node:test";
import { ContainerError } from "@appserver/kernel/ports";
import { desiredApp, desiredRelease } from "../../test/fixtures.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";

function pullsForever(fixture: ReconcileFixture): void {
  fixture.runtime.pulling = (signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new ContainerError("pull_timeout", "aborted")));
    });
}

test("a wake-up triggers a check at once; the reconciler ends when its app is uninstalled", async () => {
  const fixture = new ReconcileFixture();
  const reconciler = fixture.reconciler();
  const run = reconciler.run(fixture.abort.signal);
  await reconciler.rested;
  assert.equal(fixture.deployment.state, "HEALTHY");
  fixture.desired = undefined;
  reconciler.wake();
  await run;
  assert.equal(fixture.deployment.state, "STOPPED");
});

test("a long pull is aborted when the app is uninstalled during it, but not by a wake-up alone", async () => {
  const fixture = new ReconcileFixture();
  pullsForever(fixture);
  const reconciler = fixture.reconciler();
  const run = reconciler.run(fixture.abort.signal);
  await fixture.clock.advance(1_000);
  reconciler.wake();
  await fixture.clock.advance(1_000);
  assert.deepEqual(fixture.runtime.calls.length, 1);
  fixture.desired = undefined;
  reconciler.wake();
  await run;
  assert.equal(fixture.takeStates(), "PENDING PULLING STOPPING STOPPED");
});

test("it waits while another orchestrator holds the lease, and takes over when the lease is free", async () => {
  const fixture = new ReconcileFixture();
  fixture.isLeaseTaken = true;
  const reconciler = fixture.reconciler();
  const run = reconciler.run(fixture.abort.signal);
  await reconciler.rested;
  await fixture.clock.advance(60_000);
  assert.deepEqual(fixture.runtime.calls, []);
  fixture.isLeaseTaken = false;
  await fixture.clock.advance(10_000);
  assert.equal(fixture.deployment.state, "HEALTHY");
  fixture.abort.abort();
  await run;
});

test("an orchestrator that another one took an app from forgets its metrics after the uninstallation", async () => {
  const fixture = new ReconcileFixture();
  const run = fixture.reconciler().run(fixture.abort.signal);
  await fixture.clock.advance(1_000);
  assert.equal(fixture.deployment.state, "HEALTHY");
  fixture.isLeaseTaken = true;
  await fixture.clock.advance(20_000);
  fixture.desired = undefined;
  const [deployment] = fixture.deployments.all.splice(0);
  assert.ok(deployment);
  fixture.deployments.all.push({ ...deployment, state: "STOPPED" });
  fixture.runtime.containers.clear();
  await fixture.clock.advance(20_000);
  assert.deepEqual(fixture.forgotten, []);
  fixture.isLeaseTaken = false;
  await fixture.clock.advance(10_000);
  await run;
  assert.deepEqual(fixture.forgotten, ["com.example.notes"]);
});

test("an app that is installed again while its reconciler ends is deployed by it", async () => {
  const fixture = new ReconcileFixture();
  const installed = fixture.desired;
  const reconciler = fixture.reconciler();
  const run = reconciler.run(fixture.abort.signal);
  await reconciler.rested;
  fixture.onRead = (found) => {
    if (found || fixture.releases === 0) return;
    fixture.desired = installed;
    reconciler.wake();
  };
  fixture.desired = undefined;
  reconciler.wake();
  await fixture.clock.advance(1_000);
  assert.equal(fixture.deployment.state, "HEALTHY");
  fixture.abort.abort();
  await run;
});

test("when the lease is lost, work is aborted and nothing more is written", async () => {
  const fixture = new ReconcileFixture();
  pullsForever(fixture);
  const run = fixture.reconciler().run(fixture.abort.signal);
  await fixture.clock.advance(1_000);
  fixture.isLeaseTaken = true;
  await fixture.clock.advance(60_000);
  assert.equal(fixture.takeStates(), "PENDING PULLING");
  fixture.abort.abort();
  await run;
});

test("a temporary failure is retried; stopping ends the wait", async () => {
  const fixture = new ReconcileFixture();
  fixture.runtime.failures.set("pull", new ContainerError("unreachable", "Cannot connect to Docker daemon"));
  const run = fixture.reconciler().run(fixture.abort.signal);
  await fixture.clock.advance(500);
  assert.equal(fixture.deployment.state, "PULLING");
  await fixture.clock.advance(1_000);
  assert.equal(fixture.deployment.state, "HEALTHY");
  fixture.abort.abort();
  await run;
});

test("while the image of the next release is pulled, the current deployment is checked and repaired", async () => {
  const fixture = new ReconcileFixture();
  const reconciler = fixture.reconciler();
  const run = reconciler.run(fixture.abort.signal);
  await reconciler.rested;
  fixture.takeStates();
  pullsForever(fixture);
  fixture.desired = desiredApp({ next: desiredRelease() });
  reconciler.wake();
  await fixture.clock.advance(1_000);
  fixture.isHealthy = false;
  await fixture.clock.advance(90_000);
  assert.equal(fixture.takeStates(), "next:PENDING next:PULLING UNHEALTHY");
  fixture.isHealthy = true;
  await fixture.clock.advance(10_000);
  assert.equal(fixture.takeStates(), "HEALTHY");
  fixture.abort.abort();
  await run;
});

test("a pull for a switch that was cancelled is aborted", async () => {
  const fixture = new ReconcileFixture();
  const reconciler = fixture.reconciler();
  const run = reconciler.run(fixture.abort.signal);
  await reconciler.rested;
  pullsForever(fixture);
  fixture.desired = desiredApp({ next: desiredRelease() });
  reconciler.wake();
  await fixture.clock.advance(1_000);
  fixture.takeStates();
  fixture.desired = desiredApp();
  reconciler.wake();
  await fixture.clock.advance(1_000);
  assert.equal(fixture.takeStates(), "next:STOPPING next:STOPPED");
  fixture.abort.abort();
  await run;
});

test("replace: a current deployment that waits for its health is stopped at once", async () => {
  const fixture = new ReconcileFixture();
  fixture.isHealthy = false;
  const reconciler = fixture.reconciler();
  const run = reconciler.run(fixture.abort.signal);
  await fixture.clock.advance(6_000);
  fixture.takeStates();
  fixture.desired = desiredApp({ next: desiredRelease({ strategy: "replace" }) });
  reconciler.wake();
  await fixture.clock.advance(1_000);
  fixture.isHealthy = true;
  await fixture.clock.advance(1_000);
  assert.equal(fixture.takeStates(), "next:PENDING next:PULLING next:CREATING next:STARTING next:HEALTHY");
  assert.equal(fixture.container?.status, "exited");
  fixture.abort.abort();
  await run;
});

test("the checks of a healthy app read nothing of it, until one fails", async () => {
  const fixture = new ReconcileFixture();
  let reads = 0;
  fixture.onRead = () => (reads += 1);
  const reconciler = fixture.reconciler();
  const run = reconciler.run(fixture.abort.signal);
  await reconciler.rested;
  // The first check after the start, which looks at the app as well.
  await fixture.clock.advance(30_000);
  const before = reads;
  for (let check = 0; check < 10; check += 1) await fixture.clock.advance(30_000);
  assert.equal(reads, before);
  fixture.isHealthy = false;
  for (let check = 0; check < 4; check += 1) await fixture.clock.advance(30_000);
  assert.notEqual(fixture.deployment.state, "HEALTHY");
  fixture.abort.abort();
  await run;
});
