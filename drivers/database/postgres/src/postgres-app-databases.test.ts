import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { DatabaseLogin, DatabaseOwner } from "@appserver/kernel/ports";
import { sqlClients, startOwnPostgres, type TestPostgres } from "@appserver/testing/kit";
import pg from "pg";
import { appAccessRules } from "./app-database-names.ts";
import { PostgresAppDatabases } from "./postgres-app-databases.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

const limits = {
  connectionLimit: 3,
  sizeLimitBytes: 1_000_000_000,
  statementTimeoutMs: 2_000,
  idleTransactionTimeoutMs: 60_000,
  clock: new SystemClock(),
  logger: silentLogger,
};

function ownerOf(appName: string): DatabaseOwner {
  return { appId: randomUUID(), appName };
}

describe("databases of apps", () => {
  let platformServer: TestPostgres;
  let server: TestPostgres;
  let databases: PostgresAppDatabases;
  before(async () => {
    [platformServer, server] = await Promise.all([startOwnPostgres(), startOwnPostgres()]);
    const { connection: platform } = platformServer;
    const { connection } = server;
    const options = { administrator: connection, platform, sharedServer: false, address: connection, ...limits };
    databases = new PostgresAppDatabases(options);
    await databases.start();
  });
  after(async () => {
    await databases?.stop();
    await server?.stop();
    await platformServer?.stop();
  });

  const { connect, run } = sqlClients(() => server.connection);

  test("data survives its generation, and every generation can change it", async () => {
    const owner = ownerOf("com.example.notes");
    const first = await databases.open(owner, 1);
    assert.match(first.password, /^appdb_[\w-]{32}$/);
    await run(first, "create table notes (text text)", "insert into notes values ('one')");
    const second = await databases.open(owner, 2);
    assert.equal(second.database, first.database);
    await run(second, "alter table notes add column at timestamptz", "insert into notes values ('two')");
    await run(first, "insert into notes values ('three')");
    const open = await connect(first);
    await databases.close(owner, 1);
    await assert.rejects(open.query("select 1"));
    await assert.rejects(connect(first), /password authentication failed|not permitted to log in|no pg_hba.conf entry/);
    assert.deepEqual(await run(second, "select count(*)::int from notes"), [{ count: 3 }]);
    await databases.close(owner, 2);
    await databases.close(owner, 2);
    assert.deepEqual(await run(await databases.open(owner, 3), "select count(*)::int from notes"), [{ count: 3 }]);
  });

  test("what a login created outside its owner role belongs to the app", async () => {
    const owner = ownerOf("com.example.stubborn");
    const first = await databases.open(owner, 1);
    await run({ ...first }, "create schema own", `grant all on schema own to "${first.user}"`, "reset role");
    await run(first, "reset role", "set session authorization default", "set role none", "create table own.mine (a int)");
    await databases.close(owner, 1);
    assert.deepEqual(await run(await databases.open(owner, 2), "alter table own.mine add b int", "select * from own.mine"), []);
  });

  test("a login reaches no other database and no other app", async () => {
    const [one, other] = [ownerOf("com.example.one"), ownerOf("com.example.other")];
    const login = await databases.open(one, 1);
    const foreign = await databases.open(other, 1);
    await run(foreign, "create table secrets (text text)");
    for (const database of [foreign.database, server.connection.database, "postgres", "template1"])
      await assert.rejects(connect({ ...login, database }), /pg_hba.conf rejects|permission denied for database/, database);
    const platform = await connect({});
    const { rows } = await platform.query<{ readonly pid: number }>("select pg_backend_pid() as pid, 'secret' as text");
    const platformPid = rows[0]?.pid;
    const may = async (statement: string): Promise<string> =>
      run(login, statement).then(
        () => "allowed",
        (error: unknown) => String((error as { readonly code?: unknown }).code),
      );
    for (const statement of [
      `set role "${foreign.database}"`,
      `set role "${foreign.user}"`,
      `alter role "${foreign.user}" password 'x'`,
      `drop database "${foreign.database}"`,
      `alter role "${login.user}" superuser`,
      `alter role "${login.user}" connection limit 100`,
      "create role intruder",
      "create database intruder",
      "select * from pg_authid",
      "select pg_read_file('/etc/passwd')",
      "copy (select 1) to program 'id'",
      "copy (select 1) to '/tmp/x'",
      `select pg_terminate_backend(${platformPid})`,
      "alter system set log_statement = 'all'",
      "create extension file_fdw",
      "set session_replication_role = replica",
      "load 'auto_explain'",
      "select lo_import('/etc/passwd')",
      "checkpoint",
    ])
      assert.notEqual(await may(statement), "allowed", statement);
    const seen = await run(login, "select query from pg_stat_activity where usename <> current_user and query like '%secret%'");
    assert.deepEqual(seen, []);
    await platform.end();
  });

  test("connections and statements of a login are limited", async () => {
    const login = await databases.open(ownerOf("com.example.greedy"), 1);
    const clients = await Promise.all([connect(login), connect(login), connect(login)]);
    await assert.rejects(connect(login), /too many connections for role/);
    await Promise.all(clients.map((client) => client.end()));
    await assert.rejects(run(login, "select pg_sleep(30)"), /statement timeout/);
    const idle = await run(login, "show idle_in_transaction_session_timeout");
    assert.deepEqual(idle, [{ idle_in_transaction_session_timeout: "1min" }]);
  });

  test("temporary files of a login are limited, which it cannot change", async () => {
    const login = await databases.open(ownerOf("com.example.wasteful"), 1);
    assert.deepEqual(await run(login, "show temp_file_limit"), [{ temp_file_limit: "1GB" }]);
    for (const attempt of ["set temp_file_limit = -1", `alter role "${login.user}" set temp_file_limit = -1`])
      await assert.rejects(run(login, "set role none", attempt), /permission denied/, attempt);
  });

  test("removal leaves nothing, also with open sessions, and may be repeated", async () => {
    const owner = ownerOf("com.example.leaving");
    const logins = [await databases.open(owner, 1), await databases.open(owner, 2)];
    const open = await connect(logins[0] as DatabaseLogin);
    await open.query("create table notes (text text)");
    await databases.remove(owner);
    await databases.remove(owner);
    const left = await run(
      {},
      `select datname as name from pg_database where datname like 'app_com.example.leaving%'
       union all select rolname from pg_roles where rolname like 'app_com.example.leaving%'`,
    );
    assert.deepEqual(left, []);
    assert.deepEqual(await run(await databases.open(owner, 3), "select to_regclass('notes') as notes"), [{ notes: null }]);
    await open.end().catch(() => {});
  });

  test("an app cannot prevent the end of its logins and the removal of its database", async () => {
    const owner = ownerOf("com.example.defiant");
    const login = await databases.open(owner, 1);
    const own = `database "${login.database}"`;
    const defy = async ({ user, ...rest }: DatabaseLogin): Promise<void> => {
      await run(
        { user, ...rest },
        "reset role",
        "create table if not exists mine (a int)",
        "set role none",
        `alter ${own} set default_transaction_read_only = on`,
        `alter ${own} set statement_timeout = 1`,
        `alter role "${user}" set default_transaction_read_only = on`,
        `alter ${own} connection limit 0`,
        `alter ${own} is_template true`,
        `revoke all on ${own} from "${login.database}"`,
      );
    };
    await defy(login);
    await databases.close(owner, 1);
    await defy(await databases.open(owner, 2));
    await databases.remove(owner);
    assert.deepEqual(await run({}, `select from pg_database where datname = '${login.database}'`), []);
  });

  test("the removal of one app leaves another one whose name begins with the name of the database", async () => {
    const victimId = randomUUID();
    const other = ownerOf(`short_${victimId.slice(-8)}_g1`);
    const login = await databases.open(other, 3);
    await databases.open({ appId: victimId, appName: "short" }, 1);
    await databases.remove({ appId: victimId, appName: "short" });
    assert.deepEqual(await run(login, "select 1 as one"), [{ one: 1 }]);
  });

  test("eight apps and two generations of each are opened at once", async () => {
    const owners = Array.from({ length: 8 }, (_, index) => ownerOf(`com.example.many${index}`));
    const logins = await Promise.all(owners.flatMap((owner) => [databases.open(owner, 1), databases.open(owner, 2)]));
    for (const login of logins) assert.deepEqual(await run(login, "select 1 as one"), [{ one: 1 }]);
  });

  describe("while an app keeps locks on its database and its login", () => {
    const owner = ownerOf("com.example.blocking");
    const within = async (what: string, ms: number, work: Promise<unknown>): Promise<void> => {
      const from = performance.now();
      await work;
      const took = performance.now() - from;
      assert.ok(took < ms, `${what} took ${Math.round(took)} ms`);
    };
    let blocking: pg.Client[] = [];
    let isOver = false;
    /** Locks both, and again as soon as its session was ended, as long as it may connect. */
    const block = async (login: DatabaseLogin): Promise<void> => {
      const locks = [
        `grant connect on database "${login.database}" to public`,
        `set role none; alter role "${login.user}" password 'x'`,
      ];
      const keep = async (lock: string, ready: () => void): Promise<void> => {
        while (!isOver) {
          const client = await connect(login).catch(() => undefined);
          if (!client) return;
          blocking.push(client);
          const ended = new Promise<void>((resolve) => client.once("end", resolve));
          await client.query(`begin; ${lock}`).catch(() => {});
          ready();
          await ended;
        }
      };
      await Promise.all(locks.map((lock) => new Promise<void>((resolve) => void keep(lock, resolve))));
    };
    after(async () => {
      isOver = true;
      await Promise.all(blocking.map((client) => client.end().catch(() => {})));
      blocking = [];
    });

    test("neither its own administration nor that of another app waits longer than some seconds", async () => {
      const login = await databases.open(owner, 1);
      await block(login);
      const own = databases.open(owner, 2);
      const other = ownerOf("com.example.bystander");
      await within("another app", 1_500, databases.open(other, 1));
      await within("its own", 8_000, own);
      const closing = databases.close(owner, 1);
      await within("another app", 1_500, databases.close(other, 1));
      await within("its own end", 8_000, closing);
      await within("its removal", 8_000, databases.remove(owner));
    });
  });

  test("apps that use up all connections do not keep the administrator out", async () => {
    const { connection } = server;
    const options = {
      administrator: connection,
      platform: platformServer.connection,
      sharedServer: false,
      address: connection,
    };
    const generous = new PostgresAppDatabases({ ...options, ...limits, connectionLimit: 200 });
    await generous.start();
    const greedy = ownerOf("com.example.everything");
    const login = await generous.open(greedy, 1);
    const clients: pg.Client[] = [];
    await assert.rejects(async () => {
      for (;;) clients.push(await connect(login));
    }, /remaining connection slots are reserved/);
    await databases.open(ownerOf("com.example.modest"), 1);
    await databases.remove(greedy);
    await generous.stop();
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  });

  test("names of 63 characters stay within PostgreSQL's limit and apart", async () => {
    const [one, two] = [ownerOf("a".repeat(63)), ownerOf("a".repeat(63))];
    const logins = [await databases.open(one, 99_999_999), await databases.open(two, 99_999_999)];
    assert.equal(new Set(logins.map(({ database }) => database)).size, 2);
    assert.equal(new Set(logins.map(({ user }) => user)).size, 2);
    for (const login of logins) assert.deepEqual(await run(login, "select session_user as name"), [{ name: login.user }]);
  });
});

test("the platform's own server is refused, unless it is accepted, and an unreachable server is prepared later", async (t) => {
  const [own, other] = await Promise.all([startOwnPostgres(), startOwnPostgres()]);
  t.after(() => Promise.all([own.stop(), other.stop()]));
  const logged: string[] = [];
  const logger = {
    ...silentLogger,
    warn: (_fields: object, message: string) => void logged.push(message),
  } as typeof silentLogger;
  const databases = (administrator: PostgresConnection, sharedServer: boolean) =>
    new PostgresAppDatabases({
      ...limits,
      ...{ administrator, platform: own.connection, address: administrator, sharedServer, logger },
    });
  await assert.rejects(databases({ ...own.connection, host: "localhost", database: "postgres" }, false).start(), {
    name: "StartError",
    message: /containers\.database_admin_url to another server, .* containers\.database_shared_server=true\.$/,
  });
  const shared = databases(own.connection, true);
  await shared.start();
  const login = await shared.open(ownerOf("com.example.sharing"), 1);
  const toPlatform = { ...own.connection, ...login, database: own.connection.database };
  await assert.rejects(statementOn(toPlatform, "select 1"), /pg_hba.conf rejects|permission denied for database/);
  assert.deepEqual(logged, []);

  const separate = databases(other.connection, false);
  await separate.start();
  assert.match(
    logged.splice(0).join(),
    /own server has databases of apps that are no longer used: .*database_shared_server=true/,
  );

  const away = databases({ ...other.connection, port: 1 }, false);
  await away.start();
  assert.match(logged.splice(0).join(), /unreachable/);
  await assert.rejects(away.open(ownerOf("com.example.waiting"), 1), { name: "DatabaseError", reason: "unavailable" });
  await Promise.all([shared, separate, away].map((each) => each.stop()));
});

test("a role with CREATEDB and CREATEROLE suffices, and one without is refused with both ways out", async (t) => {
  const [server, platformServer] = await Promise.all([startOwnPostgres(), startOwnPostgres()]);
  t.after(() => Promise.all([server.stop(), platformServer.stop()]));
  const superuser = server.connection;
  const administrator = { ...superuser, user: "administrator", password: "administrator" };
  const setUp = (statement: string) => statementOn(superuser, statement);
  await setUp("create role administrator login createdb createrole password 'administrator'");
  // As an operator does with the lines of `config check orchestrate`.
  const [file] = (await statementOn(superuser, "show hba_file")) as readonly { readonly hba_file: string }[];
  const local = "127.0.0.1/32 scram-sha-256";
  const own = `host all ${superuser.user},${administrator.user} ${local}`;
  const rules = [own, ...appAccessRules, `host all all ${local}`, ""];
  await writeFile(file?.hba_file ?? "", rules.join("\n"));
  await setUp("select pg_reload_conf()");
  const platform = platformServer.connection;
  const databases = new PostgresAppDatabases({ administrator, platform, sharedServer: false, address: superuser, ...limits });
  await databases.start();
  const owner = ownerOf("com.example.administered");
  const login = await databases.open(owner, 1);
  await statementOn({ ...superuser, ...login }, "create table notes (text text)");
  // Only a superuser can give these rights away.
  assert.deepEqual(await statementOn({ ...superuser, ...login }, "show temp_file_limit"), [{ temp_file_limit: "-1" }]);
  await setUp("grant set on parameter temp_file_limit to administrator");
  const limited = await databases.open(owner, 1);
  assert.deepEqual(await statementOn({ ...superuser, ...limited }, "show temp_file_limit"), [{ temp_file_limit: "1GB" }]);
  await databases.close(owner, 1);
  await statementOn({ ...superuser, ...(await databases.open(owner, 2)) }, "drop table notes");
  await databases.remove(owner);
  await databases.stop();
  await setUp("alter role administrator nocreaterole");
  const again = new PostgresAppDatabases({ administrator, platform, sharedServer: false, address: superuser, ...limits });
  await assert.rejects(again.start(), {
    name: "StartError",
    message: /^The role administrator may not .* containers\.database_admin_url .* containers\.isolation to shared\.$/,
  });
});

async function statementOn(connection: PostgresConnection, statement: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
