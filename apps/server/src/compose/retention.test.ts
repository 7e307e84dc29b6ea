import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { brokerMigrations, pruneDeadLetters } from "@appserver/broker-postgres";
import { platformMigrations, prunePermissionChanges, uuidv7 } from "@appserver/kernel";
import { marketplaceMigrations, pruneTransitions } from "@appserver/marketplace";
import { orchestrationMigrations, pruneDeployments } from "@appserver/orchestration";
import { pruneAuditLog } from "@appserver/records";
import {
  createTestDatabase,
  recordsMigrations,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";

const day = 86_400_000;
const ago = (days: number): Date => new Date(Date.now() - days * day);

describe("old records", () => {
  let server: TestPostgres;
  let home: TestDatabase;
  before(async () => {
    server = await startTestPostgres();
    home = await createTestDatabase(server);
    await home.database.migrate([
      ...platformMigrations,
      ...recordsMigrations,
      ...marketplaceMigrations,
      ...orchestrationMigrations,
    ]);
  });
  after(async () => {
    await home?.stop();
    await server?.stop();
  });
  const count = async (table: string): Promise<number> => (await home.database.query(`select from ${table}`)).count;

  test("of the audit log are deleted in steps", async () => {
    await home.database.query(
      `insert into platform.audit_log (id, at, actor, action, target, outcome)
       select gen_random_uuid(), now() - (case when n <= 4500 then 400 else 1 end) * interval '1 day', 'a', 'b', 'c', 'success'
       from generate_series(1, 4510) as n`,
    );
    assert.equal(await pruneAuditLog(home.database, 365 * day), 4_500);
    assert.equal(await count("platform.audit_log"), 10);
  });

  test("of permissions are deleted when no decision depends on them", async () => {
    const insert = "insert into platform.permission_changes (subject, number, changed_at) values ($1, 1, $2)";
    await home.database.query(insert, ["user:old", ago(2)]);
    await home.database.query(insert, ["user:new", ago(0)]);
    assert.equal(await prunePermissionChanges(home.database), 1);
    assert.equal(await count("platform.permission_changes"), 1);
  });

  test("of apps are deleted, except for the newest twenty of each app", async () => {
    const [{ conname } = { conname: "" }] = (
      await home.database.query<{ conname: string }>(
        "select conname from pg_constraint where conrelid = 'marketplace.transitions'::regclass and contype = 'f'",
      )
    ).rows;
    // The rows of the apps themselves do not matter here.
    await home.database.query(`alter table marketplace.transitions drop constraint ${conname}`);
    for (const [appId, transitions] of [
      [uuidv7(), 25],
      [uuidv7(), 3],
    ] as const)
      for (let n = 0; n < transitions; n += 1)
        await home.database.query(
          "insert into marketplace.transitions (app_id, to_state, reason, at) values ($1, 'RUNNING', '', $2)",
          [appId, ago(400)],
        );
    assert.equal(await pruneTransitions(home.database, 365 * day), 5);
    assert.equal(await count("marketplace.transitions"), 23);
  });

  test("of deployments are deleted, except for the last one of each image and those that have a role", async () => {
    const [appId, appName] = [uuidv7(), "com.example.a"];
    const insert = (digest: string, role: string | null, days: number) =>
      home.database.query(
        `insert into orchestration.deployments (id, app_id, app_name, app_version, generation, state, health_status, final, driver, image,
           image_digest, container_name, restart_count, restarts, created_at, updated_at, role, manifest_digest)
         values ($1, $2, $3, '1.0.0', 1, 'STOPPED', 'UNKNOWN', false, 'docker', 'i', $4, 'c', 0, '[]', $5, $5, $6, 'm')`,
        [uuidv7(), appId, appName, digest, ago(days), role],
      );
    for (const digest of ["a", "a", "b"]) await insert(digest, null, 100);
    await insert("a", null, 1);
    await insert("a", "current", 100);
    assert.equal(await pruneDeployments(home.database, 90 * day), 2);
    assert.equal(await count("orchestration.deployments"), 3);
  });

  test("of the broker are deleted, and there are none if it is another one", async () => {
    assert.equal(await pruneDeadLetters(home.database, 30 * day), 0);
    await home.database.migrate(brokerMigrations);
    for (const days of [31, 29])
      await home.database.query(
        "insert into broker.dead_letters (queue, event, attempts, error, at) values ('q', '{}', 1, 'e', $1)",
        [ago(days)],
      );
    assert.equal(await pruneDeadLetters(home.database, 30 * day), 1);
    assert.equal(await count("broker.dead_letters"), 1);
  });
});
