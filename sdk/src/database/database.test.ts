import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import {
  createTestDatabase,
  databaseVariables,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { database } from "./database.ts";

describe("database()", () => {
  let server: TestPostgres;
  let room: TestDatabase;
  let folder: string;
  let environment: Readonly<Record<string, string>>;
  before(async () => {
    server = await startTestPostgres();
  });
  beforeEach(async () => {
    room = await createTestDatabase(server);
    folder = await mkdtemp(join(tmpdir(), "appserver-migrations-"));
    environment = { ...databaseVariables(room), APP_NAME: "com.example.todos" };
  });
  afterEach(async () => {
    await room.stop();
    await rm(folder, { recursive: true });
  });
  after(() => server?.stop());

  const write = (files: Readonly<Record<string, string>>): Promise<unknown> =>
    Promise.all(Object.entries(files).map(([name, sql]) => writeFile(join(folder, name), sql)));
  const migrate = async (): Promise<void> => (await database({ environment, migrations: folder })).end();
  const query = async (sql: string): Promise<readonly object[]> => (await room.database.query(sql)).rows;

  test("processes that start at once apply each migration once, in order", async () => {
    await write({
      "0001_todos.sql": "create table todos (id int primary key, text text not null);",
      "0002_first.sql": "insert into todos values (1, 'begin');\ninsert into todos values (2, 'end')",
      "README.md": "no migration",
    });
    await Promise.all([migrate(), migrate(), migrate()]);
    assert.deepEqual(await query("select id from todos order by id"), [{ id: 1 }, { id: 2 }]);
    await write({ "0010_more.sql": "insert into todos values (3, 'more')" });
    await migrate();
    assert.deepEqual(await query("select name from app_migrations order by applied_at"), [
      { name: "0001_todos.sql" },
      { name: "0002_first.sql" },
      { name: "0010_more.sql" },
    ]);
  });

  test("a migration that fails leaves nothing behind, and the error names file and line", async () => {
    await write({
      "0001_todos.sql": "create table todos (id int);",
      "0002_bad.sql": "create table others (id int);\nselect 1 fro todos;",
    });
    await assert.rejects(migrate(), { name: "MigrationError", message: /^0002_bad\.sql:2: syntax error at or near "todos"$/ });
    assert.deepEqual(await query("select to_regclass('todos') is null as todos, to_regclass('others') is null as others"), [
      { todos: false, others: true },
    ]);
  });

  test("an applied file must not change, except its line ends, and a new one has a higher number", async () => {
    await write({ "0002_todos.sql": "create table todos (\nid int)" });
    await migrate();
    await write({ "0002_todos.sql": "create table todos (\r\nid int)" });
    await migrate();
    await write({ "0001_other.sql": "select 1" });
    await assert.rejects(
      migrate(),
      /^MigrationError: 0001_other\.sql is new, and stands before 0002_todos\.sql, .*: give it a higher number$/,
    );
    await rm(join(folder, "0001_other.sql"));
    await write({ "0002_todos.sql": "create table todos (id bigint)" });
    await assert.rejects(
      migrate(),
      /^MigrationError: 0002_todos\.sql has changed after it was applied .*: undo the change, and make it in a new file$/,
    );
  });

  test("an earlier version of the app starts on the tables of a newer one", async () => {
    await write({ "0001_todos.sql": "create table todos (id int)", "0002_more.sql": "create table more (id int)" });
    await migrate();
    await rm(join(folder, "0002_more.sql"));
    await migrate();
  });

  test("files with other names, and numbers that two files have, are refused", async () => {
    await write({ "1-todos.sql": "" });
    await assert.rejects(migrate(), /1-todos\.sql is no migration: expected four digits and a name, as 0001_notes\.sql$/);
    await rm(join(folder, "1-todos.sql"));
    await write({ "0001_a.sql": "", "0001_b.sql": "" });
    await assert.rejects(migrate(), /0001_b\.sql has the number of 0001_a\.sql: expected one for each file$/);
    await assert.rejects(
      database({ environment, migrations: join(folder, "none") }),
      /the folder .*none with the migrations cannot be read: ENOENT/,
    );
  });

  test("lost connections end no process, and the next query gets a new one", async () => {
    const pool = await database({ environment });
    const held = await pool.connect();
    const end = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'com.example.todos'";
    await query(end);
    await assert.rejects(held.query("select 1"));
    held.release(true);
    assert.deepEqual((await pool.query("select 1 as one")).rows, [{ one: 1 }]);
    await pool.end();
  });

  test("waits for a server that is starting, at most for its time", async () => {
    // It accepts the connection, and ends it.
    const closing = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await new Promise((resolve) => closing.once("listening", resolve));
    const { port } = closing.address() as { port: number };
    const there = { DATABASE_URL: `postgresql://u:p@127.0.0.1:${port}/d` };
    await assert.rejects(
      database({ environment: there, startTimeoutMs: 0 }),
      /^Error: the database at 127\.0\.0\.1:\d+ could not be opened within 0 s: /,
    );
    await new Promise((resolve) => closing.close(resolve));
    await assert.rejects(
      database({ environment: there, startTimeoutMs: 0 }),
      /could not be opened within 0 s: connect ECONNREFUSED/,
    );
  });

  test("does not wait if the credentials or the variables are wrong, and never prints the password", async () => {
    const url = environment["DATABASE_URL"] ?? "";
    await assert.rejects(
      database({ environment: {} }),
      /^Error: DATABASE_URL is not set: .* set it, as postgresql:\/\/user:password@localhost:5432\/name$/,
    );
    await assert.rejects(database({ environment: { DATABASE_URL: url.replace(/:[^:@]+@/, ":another@") } }), { code: "28P01" });
    for (const wrong of ["mysql://u:canary@h/d", "postgresql://u:canary%@h/d", "postgresql://u:canary@h:99999/d", "canary"])
      await assert.rejects(
        database({ environment: { DATABASE_URL: wrong } }),
        ({ message }: Error) =>
          /^DATABASE_URL is not the URL of a PostgreSQL database: expected/.test(message) && !message.includes("canary"),
      );
    await assert.rejects(
      database({ environment: { DATABASE_URL: "postgresql://u:canary@h/d?sslmode=prefer" } }),
      /^Error: DATABASE_URL has sslmode=prefer: expected disable, require, verify-ca or verify-full$/,
    );
  });
});
