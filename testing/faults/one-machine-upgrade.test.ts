import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Database } from "@appserver/kernel/ports";
import { embeddedConnection, onDatabase } from "@appserver/testing/kit";
import { processesOf } from "./app-processes.ts";
import { type CommitPoint, CommitPoints, type KillPoint } from "./commit-points.ts";
import { UpPlatform } from "./up-platform.ts";

const skip = process.platform === "linux" ? false : "needs /proc";

/** The last migrations of some services, and what takes back each of them. Without them the folder is that of an earlier version. */
const takenBack: Readonly<Record<string, string>> = {
  "platform/0009-request-history": "drop table platform.requests",
  "platform/0011-servers": "drop table platform.servers, platform.authorization_home",
  "platform/0012-database-home": "drop table platform.database_home; drop function platform.refuse_write()",
  "accounts/0005-scim": "drop table accounts.scim_members, accounts.scim_groups, accounts.scim_users",
  "accounts/0006-invitation-letters":
    "alter table accounts.letters drop column purpose, drop column created_by, drop column ends_at",
  "marketplace/0002-release-source": "alter table marketplace.manifests drop column source",
  "marketplace/0003-manifest-signature": "alter table marketplace.manifests drop column signature",
};

/** At which migration, and whether before or after its commit. */
const kills = [
  ["before", 0],
  ["after", 1],
  ["before", 3],
  ["after", 4],
] as const;

suite("kill -9 of appserver up during an upgrade of the platform", { skip }, () => {
  const commits = new CommitPoints();
  let platform: UpPlatform;
  let tables: readonly string[] = [];
  before(async () => {
    platform = await UpPlatform.create(commits.environment);
    await platform.start();
    await platform.becomeAdministrator();
    tables = await query(platform, readTables);
  });
  after(async () => {
    await platform?.remove();
    commits.remove();
  });

  /** Makes the data folder that of an earlier version, with the account of the administrator. */
  async function downgrade(): Promise<void> {
    await query(platform, (database) =>
      database.transaction(async (tx) => {
        for (const [name, sql] of Object.entries(takenBack)) {
          await tx.query(sql);
          await tx.query("delete from platform.migrations where name = $1", [name]);
        }
      }),
    );
    await platform.killAll();
    commits.arm();
  }

  test("the next start completes the upgrade, with all data", async () => {
    await downgrade();
    await platform.start();
    const migrations = commits.listed().filter(({ writes }) => writes.includes("platform.migrations"));
    assert.equal(migrations.length, Object.keys(takenBack).length);
    assert.deepEqual(await query(platform, readTables), tables);
    await downgrade();
    let applied = 0;
    for (const [moment, index] of kills) {
      commits.arm(pointOf(migrations.slice(applied, index + 1), moment));
      platform.process.start();
      await platform.process.ended();
      assert.equal(platform.process.exitReason, "SIGKILL", platform.process.printed);
      applied = moment === "before" ? index : index + 1;
    }
    commits.arm();
    await platform.start();
    const rest = commits.listed().filter(({ writes }) => writes.includes("platform.migrations"));
    assert.equal(rest.length, migrations.length - applied);
    assert.deepEqual(await query(platform, readTables), tables);
    assert.notEqual(await platform.logIn(), "");
  });

  test("an older version refuses the data with one sentence, changes nothing and leaves no process", async () => {
    const later = "marketplace/9999-later";
    await query(platform, (database) => database.query("insert into platform.migrations (name) values ($1)", [later]));
    assert.equal(await platform.process.stop(), 0);
    commits.arm();
    platform.process.start();
    await platform.process.ended();
    assert.equal(platform.process.exitReason, "1");
    const sentence = `appserver: The data was used by a newer version of the platform (${later} is unknown to this one): start that version, or restore a backup that was made before it.`;
    assert.deepEqual(platform.process.printed.trim().split("\n").slice(1), [sentence]);
    assert.deepEqual(commits.listed(), []);
    assert.deepEqual(processesOf(platform.dataDir), []);
  });
});

/** The commit of the last of these migrations. */
function pointOf(migrations: readonly CommitPoint[], moment: KillPoint["moment"]): KillPoint {
  const { writes = "" } = migrations.at(-1) ?? {};
  return { writes, number: migrations.filter((each) => each.writes === writes).length, moment };
}

async function query<T>({ dataDir }: UpPlatform, work: (database: Database) => Promise<T>): Promise<T> {
  return await onDatabase(await embeddedConnection(dataDir), work);
}

/** Every migration, column and index. */
async function readTables(database: Database): Promise<readonly string[]> {
  const { rows } = await database.query<{ line: string }>(
    `select name as line from platform.migrations
     union all select concat_ws(' ', table_schema, table_name, column_name, data_type, column_default)
       from information_schema.columns where table_schema not in ('pg_catalog', 'information_schema')
     union all select indexdef from pg_indexes where schemaname <> 'pg_catalog'
     order by line`,
  );
  return rows.map(({ line }) => line);
}
