import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { DatabaseLogin, DatabaseOwner } from "@appserver/kernel/ports";
import { sqlClients, startOwnPostgres, type TestPostgres } from "@appserver/testing/kit";
import { appAccessRules } from "./app-database-names.ts";
import { PostgresAppDatabases } from "./postgres-app-databases.ts";

const keeper = { user: "keeper", password: "keeper" };
const generousMs = 20_000;

function ownerOf(appName: string): DatabaseOwner {
  return { appId: randomUUID(), appName };
}

describe("copies of the databases of apps", () => {
  let platform: TestPostgres;
  let server: TestPostgres;
  let databases: PostgresAppDatabases;
  before(async () => {
    [platform, server] = await Promise.all([startOwnPostgres(), startOwnPostgres()]);
    // Not a superuser: what the role of an external server may have.
    await run({}, "create role keeper login createdb createrole password 'keeper'");
    const [file] = (await run({}, "show hba_file")) as readonly { readonly hba_file: string }[];
    const local = "127.0.0.1/32 scram-sha-256";
    const rules = [`host all ${server.connection.user},keeper ${local}`, ...appAccessRules, `host all all ${local}`, ""];
    await writeFile(file?.hba_file ?? "", rules.join("\n"));
    await run({}, "select pg_reload_conf()");
    databases = new PostgresAppDatabases({
      ...{ administrator: { ...server.connection, ...keeper }, platform: platform.connection },
      ...{ sharedServer: false, address: server.connection, connectionLimit: 3, sizeLimitBytes: 1_000_000_000 },
      ...{ statementTimeoutMs: 5_000, idleTransactionTimeoutMs: 60_000, clock: new SystemClock(), logger: silentLogger },
    });
    await databases.start();
  });
  after(async () => {
    await databases?.stop();
    await server?.stop();
    await platform?.stop();
  });

  const { connect, run } = sqlClients(() => server.connection);
  const textsOf = async (login: DatabaseLogin): Promise<unknown> =>
    (await run(login, "select text from notes order by text")).map((row) => (row as { readonly text: string }).text);
  const notes = async (appName: string): Promise<{ readonly owner: DatabaseOwner; readonly login: DatabaseLogin }> => {
    const owner = ownerOf(appName);
    const login = await databases.open(owner, 1);
    await run(login, "create table notes (text text)", "insert into notes values ('one')");
    return { owner, login };
  };

  test("a copy has the data of its moment, and an app gets it back any number of times", async () => {
    const { owner, login } = await notes("com.example.kept");
    const copyId = randomUUID();
    const open = await connect(login);
    const copy = await databases.copy(owner, copyId, generousMs);
    assert.equal(copy?.name, databases.nameOfCopy(copyId));
    assert.ok(copy.usedBytes > 1_000_000, String(copy.usedBytes));
    await assert.rejects(open.query("select 1"), "sessions of the app have ended");
    for (const added of ["two", "three"]) {
      await run(login, `insert into notes values ('${added}')`);
      await databases.restoreCopy(owner, copyId, owner);
      assert.deepEqual(await textsOf(login), ["one"]);
      assert.deepEqual(await run(login, "alter table notes add column more int", "alter table notes drop column more"), []);
    }
    await open.end().catch(() => {});
  });

  test("an app does not reach a copy, and nothing is left after both were removed", async () => {
    const { owner, login } = await notes("com.example.hidden");
    const copyId = randomUUID();
    // What a login owns itself must not keep it from being deleted with its generation.
    await run(
      login,
      "create schema own",
      `grant all on schema own to "${login.user}"`,
      "set role none",
      "create table own.mine ()",
    );
    await databases.copy(owner, copyId, generousMs);
    const database = databases.nameOfCopy(copyId);
    await assert.rejects(connect({ ...login, database }), /pg_hba.conf rejects|permission denied for database/);
    await databases.close(owner, 1);
    const again = await databases.open(owner, 2);
    await databases.restoreCopy(owner, copyId, owner);
    assert.deepEqual(await run(again, "select * from own.mine"), []);
    for (let repeated = 0; repeated < 2; repeated++) await databases.removeCopy(copyId);
    await databases.remove(owner);
    const left = "select datname from pg_database where datname ~ '^(app|copy|next|replaced)_' and datname ~ $1";
    const client = await connect({});
    assert.deepEqual((await client.query(left, [`hidden|${copyId.replaceAll("-", "")}`])).rows, []);
    await client.end();
  });

  test("another app gets the data as its owner", async () => {
    const { owner, login } = await notes("com.example.original");
    const [clone, copyId] = [ownerOf("com.example.clone"), randomUUID()];
    await databases.copy(owner, copyId, generousMs);
    await databases.restoreCopy(clone, copyId, owner);
    const cloned = await databases.open(clone, 1);
    await run(cloned, "alter table notes add column more int", "insert into notes values ('clone')");
    assert.deepEqual([await textsOf(login), await textsOf(cloned)], [["one"], ["clone", "one"]]);
    const ownerOfDatabase = `select pg_get_userbyid(datdba) as owner from pg_database where datname = '${login.database}'`;
    assert.deepEqual(await run({}, ownerOfDatabase), [{ owner: login.database }]);
    // Two apps get the copy at the same time.
    const second = ownerOf("com.example.second-clone");
    await Promise.all([second, owner].map((each) => databases.restoreCopy(each, copyId, owner)));
    for (const each of [await databases.open(second, 1), login]) {
      await run(each, "alter table notes add column last int");
      assert.deepEqual(await textsOf(each), ["one"]);
    }
    await databases.remove(second);
    await databases.removeCopy(copyId);
    await databases.remove(owner);
    assert.deepEqual(await textsOf(cloned), ["clone", "one"]);
  });

  test("a copy that takes too long leaves the app as it was", async () => {
    const { owner, login } = await notes("com.example.slow");
    const copyId = randomUUID();
    await assert.rejects(databases.copy(owner, copyId, 1), { reason: "timeout" });
    assert.deepEqual(await textsOf(login), ["one"]);
    await assert.rejects(databases.restoreCopy(owner, copyId, owner));
    assert.deepEqual(await textsOf(login), ["one"]);
    assert.equal(await databases.copy(ownerOf("com.example.without"), randomUUID(), generousMs), undefined);
  });

  test("what killed orchestrators left does not prevent a copy, a restore or another generation", async () => {
    const { owner, login } = await notes("com.example.killed");
    const copyId = randomUUID();
    await databases.copy(owner, copyId, generousMs);
    const copy = databases.nameOfCopy(copyId);
    const { database } = login;
    // Killed before the databases were renamed, and while the database was closed.
    await run(keeper, `create database "next_${copy}"`);
    await run({}, `alter database "${database}" allow_connections false`);
    await databases.restoreCopy(owner, copyId, owner);
    assert.deepEqual(await textsOf(login), ["one"]);
    // Killed after they were renamed.
    await run(keeper, `create database "replaced_${copy}"`);
    await run({}, `alter database "${database}" allow_connections false`);
    assert.deepEqual(await textsOf(await databases.open(owner, 2)), ["one"]);
    await databases.copy(owner, copyId, generousMs);
    await run({}, `alter database "${database}" allow_connections false`);
    await databases.close(owner, 2);
    await databases.removeCopy(copyId);
    assert.deepEqual(await run({}, `select datname from pg_database where datname like '%${copy}'`), []);
  });
});
