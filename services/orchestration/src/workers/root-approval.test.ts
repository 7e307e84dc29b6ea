import assert from "node:assert/strict";
import { test } from "node:test";
import { desiredApp, desiredRelease } from "../../test/fixtures.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { bothLoops, fresh, names, roles } from "../../test/switch-fixture.ts";

const scope = "container:root";
const approved = desiredApp({ user: "root" });
const revoked = { ...approved, unapproved: scope };
const reason = `the container does not run: it would run as root, and com.example.notes has no approval of ${scope}`;

async function running(): Promise<ReconcileFixture> {
  const fixture = new ReconcileFixture();
  fixture.desired = approved;
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh);
  return fixture;
}

test("a running root container is stopped when the approval is revoked, and the deployment has the reason", async () => {
  const fixture = await running();
  fixture.desired = revoked;
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "FAILED");
  assert.deepEqual(names(fixture), ["app-com.example.notes exited"]);
  const { final, lastError } = fixture.deployment;
  assert.deepEqual([final, lastError], [true, { code: "APPROVAL_REQUIRED", message: reason }]);
  fixture.runtime.calls.length = 0;
  await fixture.reconcile();
  assert.deepEqual([fixture.takeStates(), fixture.runtime.calls], ["", []]);
});

test("when it is approved again, another deployment begins by itself", async () => {
  const fixture = await running();
  fixture.desired = revoked;
  await fixture.reconcile();
  fixture.takeStates();
  fixture.desired = approved;
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh);
  assert.equal(fixture.deployment.lastError, undefined);
  assert.deepEqual(names(fixture), ["app-com.example.notes running"]);
});

test("without the approval nothing is pulled or created, also not after a request for a restart", async () => {
  const fixture = new ReconcileFixture();
  fixture.desired = revoked;
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "PENDING FAILED");
  await fixture.deployments.requestRestart(approved.name, new Date(fixture.clock.now()));
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "STOPPING STOPPED PENDING FAILED");
  assert.equal(fixture.deployment.lastError?.message, reason);
  assert.deepEqual(fixture.runtime.specs, []);
});

test("a next release that lost its approval ends its switch, and the current one keeps serving", async () => {
  const fixture = new ReconcileFixture();
  await fixture.reconcile();
  fixture.desired = desiredApp({ next: desiredRelease({ user: "root", unapproved: scope }) });
  await bothLoops(fixture);
  assert.deepEqual(await roles(fixture), { current: "1.0.0 HEALTHY", next: "2.0.0 FAILED" });
});
