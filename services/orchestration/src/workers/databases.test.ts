import assert from "node:assert/strict";
import { test } from "node:test";
import { desiredApp } from "../../test/fixtures.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";

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

/** Reconciles until no step is interrupted, as an orchestrator does that is started again. */
async function reconcileAfterKills(fixture: ReconcileFixture): Promise<void> {
  for (let start = 0; start < 3; start++) {
    try {
      await fixture.reconcile();
      return;
    } catch {
      // Killed.
    }
  }
}

test("after a kill at any write, engine call or call for the database, the container has the valid password", async () => {
  const whole = new ReconcileFixture();
  await whole.reconcile();
  const kills: readonly ((fixture: ReconcileFixture, at: number) => void)[] = [
    ({ deployments }, at) => {
      deployments.killAtWrite = at;
    },
    ({ runtime }, at) => {
      runtime.killAtCall = at;
    },
    ({ databases }, at) => {
      databases.killAfterCall = at;
    },
  ];
  const counts = [whole.deployments.states.length, whole.runtime.calls.length, whole.databases.calls];
  for (const [index, kill] of kills.entries()) {
    for (let at = 1; at <= (counts[index] ?? 0); at++) {
      const fixture = new ReconcileFixture();
      kill(fixture, at);
      await reconcileAfterKills(fixture);
      const { calls } = fixture.runtime;
      assert.equal(fixture.deployment.state, "HEALTHY", `kill ${index} at ${at}: ${calls.join(", ")}`);
      assert.equal(passwordOf(fixture), fixture.databases.logins.get(`${appName} 1`), `kill ${index} at ${at}`);
    }
  }
});

test("after a kill at the end of a login or of a database, both are deleted", async () => {
  for (const at of [1, 2]) {
    const fixture = new ReconcileFixture();
    await fixture.reconcile();
    fixture.desired = undefined;
    await fixture.dataRemovals.request({ appId, appName, generation: 1 });
    fixture.databases.killAfterCall = fixture.databases.calls + at;
    await reconcileAfterKills(fixture);
    const { databases, logins } = fixture.databases;
    assert.deepEqual([[...databases], [...logins], fixture.dataRemovals.open], [[], [], []]);
  }
});

test("a container that another orchestrator created in between is replaced, because its password is outdated", async () => {
  const fixture = new ReconcileFixture();
  const { create } = fixture.runtime;
  fixture.runtime.create = async (spec) => {
    fixture.runtime.create = create;
    const stale = { ...spec.labels, "appserver.attempt": "another" };
    await create.call(fixture.runtime, { ...spec, labels: stale, environment: { DB_PASSWORD: "outdated" } });
    return create.call(fixture.runtime, spec);
  };
  await fixture.reconcile();
  assert.equal(passwordOf(fixture), fixture.databases.logins.get(`${appName} 1`));
  assert.equal(fixture.runtime.calls.filter((call) => call.startsWith("remove")).length, 1);
});

test("a late request to delete data has no effect on what the app has stored since", async () => {
  const fixture = new ReconcileFixture();
  fixture.desired = desiredApp({ generation: 2 });
  await fixture.reconcile();
  await fixture.dataRemovals.request({ appId, appName, generation: 1 });
  await fixture.deployments.requestRestart(appName, new Date(fixture.clock.now()));
  await fixture.reconcile();
  assert.deepEqual([[...fixture.databases.databases], fixture.dataRemovals.open], [[appId], []]);
});

test("data is deleted when nothing of the app runs any more, and before the app runs again", async () => {
  const fixture = new ReconcileFixture();
  await fixture.reconcile();
  await fixture.dataRemovals.request({ appId, appName, generation: 1 });
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
  await fixture.dataRemovals.request({ appId, appName, generation: 1 });
  assert.deepEqual(await fixture.reconcile(), { kind: "absent" });
  assert.deepEqual([[...fixture.databases.databases], fixture.dataRemovals.open], [[], []]);
});
