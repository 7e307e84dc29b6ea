import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { platformMigrations, SqlOutbox, SystemClock, uuidv7 } from "@appserver/kernel";
import type { Outbox } from "@appserver/kernel/ports";
import {
  createTestDatabase,
  recordsMigrations,
  rejectsWith,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
  until,
} from "@appserver/testing/kit";
import { SqlDeploymentStore } from "../src/adapters/sql-deployment-store.ts";
import { SqlDeployments } from "../src/adapters/sql-deployments.ts";
import { type Deployment, orchestrationMigrations } from "../src/index.ts";
import { ReconcileFixture } from "./reconcile-fixture.ts";

describe("stored deployments", () => {
  let server: TestPostgres;
  let home: TestDatabase;
  before(async () => {
    server = await startTestPostgres();
    home = await createTestDatabase(server);
    await home.database.migrate([...platformMigrations, ...recordsMigrations, ...orchestrationMigrations]);
  });
  after(async () => {
    await home?.stop();
    await server?.stop();
  });

  const storeWith = (outbox: Outbox) => new SqlDeploymentStore(home.database, outbox, "/appserver/test");

  test("a request while another deployment becomes the current one waits for it, and is stored in it", async () => {
    const fixture = new ReconcileFixture();
    await fixture.reconcile();
    const first = fixture.deployment;
    const { appName } = first;
    const second = { ...first, id: first.id.replace(/^./, "f"), state: "PENDING" as const };
    const store = storeWith(new SqlOutbox());
    const deployments = new SqlDeployments({ database: home.database, clock: new SystemClock() });
    await assert.rejects(deployments.restart(appName), rejectsWith("NOT_FOUND"));
    await store.begin({ appName, fence: 1 }, first);

    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Outbox = {
      append: async () => {
        reached.resolve();
        await released.promise;
      },
    };
    const beginning = storeWith(slow).begin({ appName, fence: 1 }, second);
    await reached.promise;
    const requesting = deployments.restart(appName);
    await until("the request waits for the transaction", async () => {
      const text = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      return (await home.database.query(text)).count > 0;
    });
    released.resolve();
    await beginning;
    await requesting;
    const { current } = await store.ofApp(appName);
    assert.deepEqual([current?.id, current?.restartRequestedAt !== undefined], [second.id, true]);
  });

  test("a record keeps how often an engine has restarted each instance", async () => {
    const fixture = new ReconcileFixture();
    await fixture.reconcile();
    const store = storeWith(new SqlOutbox());
    const writer = { appName: fixture.deployment.appName, fence: 1 };
    const stored = { ...fixture.deployment, id: uuidv7() };
    await store.begin(writer, stored);
    assert.equal((await store.ofApp(writer.appName)).current?.instanceRestarts, undefined);
    const counted = { ...stored, instanceRestarts: { "pod-1": 2 } };
    await store.transition(writer, stored, counted);
    assert.deepEqual((await store.ofApp(writer.appName)).current?.instanceRestarts, { "pod-1": 2 });
  });

  test("a record has its instances, and shows which apps serve with fewer of them than they should have", async () => {
    const fixture = new ReconcileFixture();
    await fixture.reconcile();
    const store = storeWith(new SqlOutbox());
    const deployments = new SqlDeployments({ database: home.database, clock: new SystemClock() });
    const writer = { appName: "com.example.several", fence: 1 };
    const stored = { ...fixture.deployment, ...writer, id: uuidv7(), appId: uuidv7() };
    await store.begin(writer, stored);
    assert.deepEqual(await deployments.degraded(), []);
    const lastEnd = { at: new Date(1_000), exitCode: 9, cause: "exit" as const };
    const one = { id: "pod-1", place: "node-1", ready: true, startedAt: new Date(0), restarts: 2, lastEnd };
    const instances = [one, { id: "pod-2", ready: false, restarts: 0 }];
    const degraded = { ...stored, wantedInstances: 2, instances, degradedSince: new Date(5_000) };
    await store.amend(writer, stored, degraded);
    assert.deepEqual(await deployments.degraded(), [stored.appId]);
    const { current } = await store.ofApp(writer.appName);
    assert.partialDeepStrictEqual(current, { instances: [one, { id: "pod-2" }], degradedSince: new Date(5_000) });
    await store.amend(writer, degraded, { ...degraded, degradedSince: undefined });
    assert.deepEqual(await deployments.degraded(), []);
  });

  test("the progress of a pull updates the record, so that its deployment does not count as abandoned", async () => {
    const fixture = new ReconcileFixture();
    await fixture.reconcile();
    const { appName } = fixture.deployment;
    const pulling = { ...fixture.deployment, id: uuidv7(), updatedAt: new Date(0) };
    const store = storeWith(new SqlOutbox());
    await store.begin({ appName, fence: 1 }, pulling);
    await store.saveProgress({ appName, fence: 1 }, pulling.id, 0.5, "Downloading");
    const { current } = await store.ofApp(appName);
    assert.deepEqual([current?.progress, current && current.updatedAt > pulling.updatedAt], [0.5, true]);
  });

  test("images that only ended deployments ran are old, unless the app is about to get a container", async () => {
    const fixture = new ReconcileFixture();
    await fixture.reconcile();
    const store = storeWith(new SqlOutbox());
    const image = "registry.test/app:latest";
    const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
    const begin = (appName: string, letter: string, state: Deployment["state"]) => {
      const deployment = {
        ...fixture.deployment,
        id: uuidv7(),
        appId: uuidv7(),
        appName,
        image,
        imageDigest: digest(letter),
        state,
      };
      return store.begin({ appName, fence: 1 }, deployment);
    };
    for (const letter of ["a", "b"]) await begin("com.example.running", letter, "HEALTHY");
    await begin("com.example.removed", "c", "STOPPED");
    for (const letter of ["d", "e"]) await begin("com.example.starting", letter, "CREATING");
    await begin("com.example.other", "f", "STOPPED");
    await begin("com.example.same-image", "f", "HEALTHY");
    assert.deepEqual(await store.endedImages(), [
      { image: `${image}@${digest("a")}`, digest: digest("a") },
      { image: `${image}@${digest("c")}`, digest: digest("c") },
    ]);
  });
});
