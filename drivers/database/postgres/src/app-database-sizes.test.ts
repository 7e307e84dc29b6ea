import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { DatabaseLogin, DatabaseOwner, DatabaseSize } from "@appserver/kernel/ports";
import { sqlClients, startOwnPostgres, type TestPostgres } from "@appserver/testing/kit";
import { PostgresAppDatabases } from "./postgres-app-databases.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** More than an empty database has. */
const limitBytes = 12_000_000;
const fill = "create table filled as select repeat(md5(i::text), 30) as text from generate_series(1, 10000) i";
const noConnections = { code: "53300", message: /too many connections for role/ };

function ownerOf(appName: string): DatabaseOwner {
  return { appId: randomUUID(), appName };
}

describe("the size limit of the databases of apps", () => {
  let platform: TestPostgres;
  let server: TestPostgres;
  let databases: PostgresAppDatabases;
  let administrator: PostgresConnection;
  const open = async (sizeLimitBytes: number): Promise<PostgresAppDatabases> => {
    const opened = new PostgresAppDatabases({
      ...{ administrator, platform: platform.connection, sharedServer: false, address: server.connection },
      ...{ connectionLimit: 3, sizeLimitBytes, statementTimeoutMs: 60_000, idleTransactionTimeoutMs: 60_000 },
      ...{ clock: new SystemClock(), logger: silentLogger },
    });
    await opened.start();
    return opened;
  };
  before(async () => {
    [platform, server] = await Promise.all([startOwnPostgres(), startOwnPostgres()]);
    // Without pg_read_all_stats: an app can take from it the right to measure its database.
    const [hba] = await asSuperuser("show hba_file");
    const file = String(hba?.["hba_file"]);
    await writeFile(file, `host all administrator all scram-sha-256\n${await readFile(file, "utf8")}`);
    administrator = { ...server.connection, user: "administrator", password: "administrator" };
    await asSuperuser("create role administrator login createdb createrole password 'administrator'");
    await asSuperuser("select pg_reload_conf()");
    databases = await open(limitBytes);
  });
  after(async () => {
    await databases?.stop();
    await server?.stop();
    await platform?.stop();
  });

  const { connect, run } = sqlClients(() => server.connection);
  const asSuperuser = (statement: string, database = server.connection.database) => run({ database }, statement);
  const sizeOf = async ({ database }: DatabaseLogin): Promise<DatabaseSize | undefined> =>
    (await databases.limitSizes()).find(({ name }) => name === database);
  /** Opens a database that is over its limit, and closed. */
  const full = async (owner: DatabaseOwner): Promise<DatabaseLogin> => {
    const login = await databases.open(owner, 1);
    await run(login, fill);
    assert.equal((await sizeOf(login))?.isFull, true);
    return login;
  };

  test("over the limit, sessions end and no login connects, until there is room again", async () => {
    const [owner, other] = [ownerOf("com.example.greedy"), ownerOf("com.example.modest")];
    const [login, modest] = [await databases.open(owner, 1), await databases.open(other, 1)];
    assert.equal(databases.nameOf(owner), login.database);
    assert.partialDeepStrictEqual(await sizeOf(login), { limitBytes, isFull: false });
    const [session, bystander] = [await connect(login), await connect(modest)];
    await session.query(fill);
    const size = await sizeOf(login);
    assert.deepEqual([size?.isFull, (size?.usedBytes ?? 0) > limitBytes], [true, true]);
    await assert.rejects(session.query("select 1"));
    await assert.rejects(connect(login), noConnections);
    await assert.rejects(connect(await databases.open(owner, 2)), noConnections);
    await bystander.query("select 1");
    await bystander.end();
    await asSuperuser("drop table filled", login.database);
    assert.equal((await sizeOf(login))?.isFull, false);
    await run(login, "select 1");
  });

  test("a restart keeps the app out, and a higher limit lets it in", async () => {
    const login = await full(ownerOf("com.example.restarted"));
    await databases.stop();
    databases = await open(limitBytes);
    await assert.rejects(connect(login), noConnections);
    await databases.stop();
    databases = await open(10 * limitBytes);
    assert.equal((await sizeOf(login))?.isFull, false);
    await run(login, "select 1");
    await databases.stop();
    databases = await open(limitBytes);
    assert.equal((await sizeOf(login))?.isFull, true);
  });

  test("a session that a killed orchestrator left is ended later", async () => {
    const login = await databases.open(ownerOf("com.example.left"), 1);
    const session = await connect(login);
    await session.query(fill);
    await asSuperuser(`alter role "${login.database}" connection limit 0`);
    await sizeOf(login);
    await assert.rejects(session.query("select 1"));
    await assert.rejects(connect(login), noConnections);
  });

  test("an app cannot keep its database from being measured, nor its login from being closed", async () => {
    const login = await databases.open(ownerOf("com.example.hidden"), 1);
    const session = await connect(login);
    const ended = new Promise<void>((resolve) => session.once("end", resolve));
    await session.query(fill);
    await session.query(`revoke all on database "${login.database}" from "${login.database}"`);
    await session.query(`begin; alter database "${login.database}" set work_mem = '1MB'`);
    await session.query(`alter role current_user password 'changed'`);
    assert.equal((await sizeOf(login))?.isFull, true);
    await ended;
    await assert.rejects(connect(login), noConnections);
  });

  test("an app over its limit is closed and removed as any other", async () => {
    const owner = ownerOf("com.example.removed");
    const login = await full(owner);
    await databases.close(owner, 1);
    await databases.remove(owner);
    assert.equal(await sizeOf(login), undefined);
    await run(await databases.open(owner, 2), "select 1");
  });
});
