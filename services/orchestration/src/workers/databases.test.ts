import assert from "node:assert/strict";
import { test } from "node:test";
import { desiredApp, ReconcileFixture } from "../../test/memory-parts.ts";

const { id: appId, name: appName } = desiredApp();

function passwordOf(fixture: ReconcileFixture): string | undefined {
  return fixture.runtime.specs.at(-1)?.environment["DB_PASSWORD"];
}

test("a deployment logs in with its own password, which ends with it, and the database stays", async () => {
  const fixture = new ReconcileFixture();
  await fixture.reconcile();
  const login = `${appName} 1`;
  assert.equal(passwordOf(fixture), fixture.databases.logins.get(login));
  fixture.desired = undefined;
  await fixture.reconcile();
  assert.deepEqual([...fixture.databases.logins.keys()], []);
  assert.deepEqual([...fixture.databases.databases], [appId]);
});

test("a container that was created before a kill keeps the password that it has", async () => {
  const fixture = new ReconcileFixture();
  await fixture.reconcile();
  const writes = fixture.deployments.states.length;
  for (let write = 1; write <= writes; write++) {
    const killed = new ReconcileFixture();
    killed.deployments.killAtWrite = write;
    await killed.reconcile().catch(() => {});
    await killed.reconcile();
    assert.equal(killed.deployment.state, "HEALTHY");
    assert.equal(passwordOf(killed), killed.databases.logins.get(`${appName} 1`), `killed before write ${write}`);
  }
});

test("data is deleted when nothing of the app runs any more, and before the app runs again", async () => {
  const fixture = new ReconcileFixture();
  await fixture.reconcile();
  await fixture.dataRemovals.request({ appId, appName });
  await fixture.reconcile();
  assert.deepEqual([...fixture.databases.databases], [appId], "the app runs");
  fixture.desired = desiredApp({ generation: 2 });
  let seen: string | undefined;
  const { remove } = fixture.databases;
  fixture.databases.remove = async (owner) => {
    seen = `${fixture.deployment.state} ${fixture.runtime.containers.size}`;
    await remove.call(fixture.databases, owner);
  };
  await fixture.reconcile();
  assert.equal(seen, "STOPPED 0");
  assert.deepEqual([fixture.deployment.state, [...fixture.databases.databases]], ["HEALTHY", [appId]]);
  assert.deepEqual(fixture.dataRemovals.open, []);
});

test("data of an app that is not installed is deleted", async () => {
  const fixture = new ReconcileFixture();
  fixture.desired = undefined;
  fixture.databases.databases.add(appId);
  await fixture.dataRemovals.request({ appId, appName });
  assert.deepEqual(await fixture.reconcile(), { kind: "absent" });
  assert.deepEqual([[...fixture.databases.databases], fixture.dataRemovals.open], [[], []]);
});
