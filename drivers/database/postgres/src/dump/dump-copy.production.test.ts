import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { tlsOptions } from "@appserver/contracts/database";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { DatabaseLogin, DatabaseOwner } from "@appserver/kernel/ports";
import { eventually, startOwnPostgres } from "@appserver/testing/kit";
import pg from "pg";
import { type PrivatePostgres, startPrivatePostgres } from "../../../../../tools/services/postgres.ts";
import { appAccessRules } from "../app-database-names.ts";
import { PostgresAppDatabases } from "../postgres-app-databases.ts";
import type { PostgresConnection } from "../postgres-connection.ts";
import { dumpDatabaseCopy, importDatabaseCopy } from "./dump-copy.ts";
import { type DumpClients, findDumpClients, fittingClients } from "./find-clients.ts";

const folder = await mkdtemp(join(tmpdir(), "appserver-dumps-"));
const started = await startPrivatePostgres(folder);
const skip = "unavailable" in started ? started.unavailable : false;
after(() => rm(folder, { recursive: true, force: true }));

/** What an app may leave in its database for the role that restores a dump of it. */
const attack = `
create function become_superuser() returns boolean language plpgsql as $$
begin
  reset role;
  create role intruder superuser;
  return true;
exception when others then
  return true;
end $$;
alter table notes add constraint harmless check (become_superuser())`;

/** A role that administers databases of apps. */
interface Side {
  readonly administrator: PostgresConnection;
  readonly databases: PostgresAppDatabases;
}

describe("dumps of copies of the databases of apps", { skip }, () => {
  const server = started as PrivatePostgres;
  let clients: DumpClients;
  let keeper: Side;
  let superuser: Side;
  before(async () => {
    const { rootCertificate, ...own } = server.connection;
    keeper = await sideOf(await keeperOf(own));
    superuser = await sideOf({ ...own, ssl: tlsOptions({ mode: "verify-ca", rootCertificate }) });
    const found = fittingClients(await findDumpClients(process.env["PATH"]), 15);
    assert.ok(found);
    clients = found;
  });
  after(async () => {
    for (const side of [superuser, keeper]) await side?.databases.stop();
    await server.remove();
  });

  /** Makes an administrator that is no superuser: what the role of an external server may have. */
  const keeperOf = async (own: PostgresConnection): Promise<PostgresConnection> => {
    await run(own, "create role keeper login createdb createrole password 'keeper'");
    const [file] = (await run(own, "show hba_file")) as readonly { readonly hba_file: string }[];
    const local = "127.0.0.1/32 scram-sha-256";
    const rules = [`host all ${own.user},keeper ${local}`, ...appAccessRules, `host all all ${local}`, ""];
    await writeFile(file?.hba_file ?? "", rules.join("\n"));
    await run(own, "select pg_reload_conf()");
    return { ...own, user: "keeper", password: "keeper" };
  };
  const sideOf = async (administrator: PostgresConnection, platform: PostgresConnection = server.connection): Promise<Side> => {
    const databases = new PostgresAppDatabases({
      ...{ administrator, platform, sharedServer: true, address: administrator },
      ...{ connectionLimit: 3, sizeLimitBytes: 1_000_000_000, statementTimeoutMs: 5_000, idleTransactionTimeoutMs: 60_000 },
      ...{ clock: new SystemClock(), logger: silentLogger },
    });
    await databases.start();
    return { administrator, databases };
  };
  const run = async (login: pg.ClientConfig, ...statements: readonly string[]): Promise<readonly object[]> => {
    const client = new pg.Client(login);
    client.on("error", () => {});
    await client.connect();
    try {
      let rows: readonly object[] = [];
      for (const statement of statements) ({ rows } = await client.query<object>(statement));
      return rows;
    } finally {
      await client.end();
    }
  };
  const appOn = async (
    { databases }: Side,
    ...statements: readonly string[]
  ): Promise<{ readonly owner: DatabaseOwner; readonly login: DatabaseLogin }> => {
    const owner = { appId: randomUUID(), appName: "com.example.dumped" };
    const login = await databases.open(owner, 1);
    await run({ ...login }, ...statements);
    return { owner, login };
  };
  const dumped = async ({ administrator, databases }: Side, owner: DatabaseOwner): Promise<Buffer> => {
    const copyId = randomUUID();
    await databases.copy(owner, copyId, 20_000);
    const pieces: Uint8Array[] = [];
    for await (const piece of dumpDatabaseCopy(administrator, copyId, clients)) pieces.push(piece);
    await databases.removeCopy(copyId);
    return Buffer.concat(pieces);
  };
  const imported = async (side: Side, owner: DatabaseOwner, dump: AsyncIterable<Uint8Array>, copyId: string): Promise<number> =>
    await importDatabaseCopy(side.administrator, { copyId, owner, clients }, dump);
  const leftOf = async (copyId: string): Promise<readonly object[]> => {
    const name = keeper.databases.nameOfCopy(copyId);
    return await run(
      server.connection,
      `select datname from pg_database where datname = '${name}' union all select rolname from pg_roles where rolname = '${name}'`,
    );
  };

  for (const name of ["keeper", "superuser"] as const)
    test(`an app gets the data of another installation's app, restored by ${name}`, async () => {
      const side = name === "keeper" ? keeper : superuser;
      const first = await appOn(
        side,
        "create extension citext",
        "create schema more",
        "create type more.kind as enum ('a', 'b')",
        "create table notes (id bigint generated always as identity primary key, text text)",
        "insert into notes (text) select 'note ' || n from generate_series(1, 1000) n",
      );
      const dump = await dumped(side, first.owner);
      const { owner, login } = await appOn(side, "create table other ()");
      const copyId = randomUUID();
      const bytes = await imported(side, owner, Readable.from([dump]), copyId);
      assert.ok(bytes > 1_000_000, String(bytes));
      await side.databases.restoreCopy(owner, copyId, owner);
      await side.databases.removeCopy(copyId);
      assert.deepEqual(await leftOf(copyId), []);
      const rights = ["alter table notes add kind more.kind", "drop extension citext"];
      await run({ ...login }, "insert into notes (text) values ('new')", ...rights);
      const found = await run(
        { ...login },
        "select count(*)::int as count, max(id)::int as last, to_regclass('other') as other from notes",
      );
      assert.deepEqual(found, [{ count: 1_001, last: 1_001, other: null }]);
    });

  test("a server of a newer version takes a dump", async (t) => {
    const newer = await startOwnPostgres();
    const ends = [() => newer.stop()];
    t.after(async () => {
      for (const end of ends) await end();
    });
    const side = await sideOf(await keeperOf(newer.connection), newer.connection);
    ends.unshift(() => side.databases.stop());
    const { owner: first } = await appOn(keeper, "create table notes (text text)", "insert into notes values ('one')");
    const dump = await dumped(keeper, first);
    const { owner, login } = await appOn(side);
    const copyId = randomUUID();
    await imported(side, owner, Readable.from([dump]), copyId);
    await side.databases.restoreCopy(owner, copyId, owner);
    assert.deepEqual(await run({ ...login }, "insert into notes values ('two')", "table notes"), [
      { text: "one" },
      { text: "two" },
    ]);
    await side.databases.removeCopy(copyId);
  });

  test("code of the app in a dump does not run as a superuser", async () => {
    const { owner } = await appOn(superuser, "create table notes (text text)", "insert into notes values ('one')", attack);
    const dump = await dumped(superuser, owner);
    const copyId = randomUUID();
    await imported(superuser, owner, Readable.from([dump]), copyId);
    const tried = await run({ ...server.connection, database: superuser.databases.nameOfCopy(copyId) }, "table notes");
    assert.deepEqual(tried, [{ text: "one" }]);
    assert.deepEqual(await run(server.connection, "select rolname from pg_roles where rolname = 'intruder'"), []);
    await superuser.databases.removeCopy(copyId);
  });

  test("what an import leaves that did not come to its end is removed like other copies", async () => {
    const { owner } = await appOn(keeper, "create table notes (text text)");
    const dump = await dumped(keeper, owner);
    const copyId = randomUUID();
    const isDamaged = Promise.withResolvers<void>();
    async function* damaged(): AsyncGenerator<Uint8Array> {
      yield dump.subarray(0, 100);
      await isDamaged.promise;
      throw new Error("the file is damaged");
    }
    const importing = imported(keeper, owner, damaged(), copyId);
    importing.catch(() => {});
    await eventually(
      () => leftOf(copyId),
      ({ length }) => length === 2,
    );
    isDamaged.resolve();
    await assert.rejects(importing, /the file is damaged/);
    await keeper.databases.removeCopy(copyId);
    assert.deepEqual(await leftOf(copyId), []);
  });

  test("the messages of the programs become the error", async () => {
    const { owner } = await appOn(keeper);
    const copyId = randomUUID();
    await assert.rejects(imported(keeper, owner, Readable.from([Buffer.from("this is no dump")]), copyId), {
      name: "StartError",
      message: /^pg_restore failed: pg_restore: error: /,
    });
    await keeper.databases.removeCopy(copyId);
    const missing = dumpDatabaseCopy(keeper.administrator, randomUUID(), clients);
    await assert.rejects(missing.next(), { message: /^pg_dump failed: .*database "copy_[0-9a-f]+" does not exist/ });
  });
});
