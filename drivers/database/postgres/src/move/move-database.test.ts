import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { platformMigrations, StartError, SystemClock, silentLogger } from "@appserver/kernel";
import { DatabaseError, type Migration } from "@appserver/kernel/ports";
import {
  createTestDatabase,
  rejectsWith,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
  testPool,
} from "@appserver/testing/kit";
import type { PostgresConnection } from "../postgres-connection.ts";
import { PostgresDatabase } from "../postgres-database.ts";
import { type MovedDatabase, moveDatabase, undoMove } from "./move-database.ts";
import { openMoveSession } from "./move-session.ts";

const notes: Migration = {
  name: "notes/0001-notes",
  sql: `
    create schema if not exists notes;
    create type notes.color as enum ('red', 'it''s "blue"');
    create sequence notes.versions;
    -- Each refers to the other one.
    create table notes."Books" (id uuid primary key default gen_random_uuid(), cover bigint);
    create table notes.pages (
      id       bigint generated always as identity primary key,
      book     uuid references notes."Books" on delete cascade,
      text     text,
      length   int generated always as (length(text)) stored,
      bytes    bytea,
      document jsonb,
      raw      json[],
      tags     text[] not null default '{}',
      color    notes.color,
      number   double precision,
      at       timestamptz,
      lasts    interval,
      "select" numeric
    );
    alter table notes."Books" add foreign key (cover) references notes.pages;
    create table notes.seeds (name text primary key);
    insert into notes.seeds values ('from the migration');
    create unlogged table notes.counters (key text primary key, value int);
    create table notes.log (page bigint);
    create function notes.log_page() returns trigger language plpgsql as $$
      begin insert into notes.log values (new.id); return new; end
    $$;
    create trigger log_page before insert on notes.pages for each row execute function notes.log_page()`,
};
const migrations = [...platformMigrations, notes];
const unused: Migration = { name: "unused/0001-unused", sql: "create schema unused; create table unused.things (id int)" };

const rows = `
  insert into notes."Books" default values;
  insert into notes.pages (book, text, bytes, document, raw, tags, color, number, at, lasts, "select")
    select id, E'tab\\t, line\\n, \\\\N, "quoted", äöü 🙂', '\\x00ff0a5c', '{"a": [1, null, "\\\\u00e4"]}', array['{"b":  "\\u0000"}'::json, null],
           array['x,y', null, '', '{}'], 'it''s "blue"', 0.1::float8 + 0.2, '2026-02-30 01:02:03.456789+00'::timestamptz - interval '1 day', '1 mon -2 days', 1e40
      from notes."Books";
  insert into notes.pages (text) values (null), (''), ('\\.');
  insert into notes.pages (number, at) values ('NaN', 'infinity'), ('-Infinity', '0044-03-15 12:00:00 BC');
  insert into notes.pages (text) select repeat(md5(g::text), 50) from generate_series(1, 3000) g;
  update notes."Books" set cover = 1;
  delete from notes.seeds;
  insert into notes.seeds values ('of an administrator');
  insert into notes.counters values ('hits', 7);
  select setval('notes.versions', 41)`.replace("2026-02-30", "2026-02-28");

type Opened = Pick<TestDatabase, "connection">;

function reopen(connection: PostgresConnection): PostgresDatabase {
  return new PostgresDatabase({ ...testPool, connection, logger: silentLogger, clock: new SystemClock() });
}

describe("a move of the database", () => {
  let server: TestPostgres;
  let source: TestDatabase;
  let target: TestDatabase;
  before(async () => {
    server = await startTestPostgres();
  });
  after(() => server.stop());
  beforeEach(async () => {
    [source, target] = await Promise.all([createTestDatabase(server), createTestDatabase(server)]);
    await source.database.migrate(migrations);
    await source.database.query(rows);
    await source.database.query("create table public.foreign_table (id int)");
    // A pool is a process of the platform.
    await source.database.stop();
  });
  afterEach(async () => {
    await source.stop();
    await target.stop();
  });

  function move(from: Opened = source, to: Opened = target): Promise<MovedDatabase> {
    const options = { source: from.connection, target: to.connection };
    return moveDatabase({ ...options, migrations: [...migrations, unused], onTable: () => {} });
  }

  /** Runs statements without being a process of the platform. */
  async function query<Row extends object>({ connection }: Opened, text: string): Promise<readonly Row[]> {
    const session = await openMoveSession(connection);
    try {
      return (await session.query<Row>(text)).rows;
    } finally {
      await session.close();
    }
  }

  const contentOf = (database: Opened) =>
    query<{ pages: string; books: string; seeds: string; counters: string }>(
      database,
      `select (select json_agg(p::text order by id) from notes.pages p) as pages, (select json_agg(b::text) from notes."Books" b) as books,
              (select json_agg(s::text) from notes.seeds s) as seeds, (select json_agg(c::text) from notes.counters c) as counters`,
    );
  const hasTables = async (database: Opened): Promise<boolean> =>
    (await query(database, "select from pg_tables where schemaname in ('platform', 'notes')")).length > 0;
  /** As a process of the platform at its start. */
  async function refusal({ connection }: Opened): Promise<string | undefined> {
    const opened = reopen(connection);
    try {
      await opened.migrate(migrations);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof StartError, String(error));
      return error.message;
    } finally {
      await opened.stop();
    }
  }

  it("copies every value of every type, sequences and identities; generated columns, keys and triggers are those of the migrations", async () => {
    const expected = await contentOf(source);
    const moved = await move();
    assert.deepEqual([moved.outcome, moved.notCopied], ["moved", ["public.foreign_table"]]);
    assert.ok(moved.rows > 3_000 && moved.tables > 10, JSON.stringify(moved));
    assert.deepEqual(await contentOf(target), expected);
    assert.equal(await refusal(target), undefined);
    const [added] = await query<{ id: string; version: string }>(
      target,
      "insert into notes.pages (text) values ('next') returning id, nextval('notes.versions')::text as version",
    );
    assert.deepEqual(added, { id: 3_007, version: "42" });
    assert.deepEqual(await query(target, "select page from notes.log where page > 3006"), [{ page: 3_007 }]);
    await assert.rejects(query(target, "insert into notes.pages (book) values (gen_random_uuid())"), DatabaseError);
    assert.deepEqual(await query(target, "select from pg_namespace where nspname = 'unused'"), []);
  });

  it("leaves a source that refuses processes and every write; a second call says that it was moved", async () => {
    await move();
    assert.match(
      (await refusal(source)) ?? "",
      new RegExp(`moved to .*/${target.connection.database}: expected that one in APPSERVER_DB_HOST`),
    );
    for (const write of [
      "delete from notes.seeds",
      'update notes."Books" set cover = null',
      "truncate notes.log",
      "insert into notes.seeds values ('x')",
    ])
      await assert.rejects(query(source, write), new RegExp(`the data was moved to .*/${target.connection.database}`));
    assert.equal((await move()).outcome, "unchanged");
  });

  it("a write that waits for the copy, of a process that was not seen, is refused after it", async () => {
    const frozen = await openMoveSession(source.connection);
    await frozen.query("prepare late as insert into notes.seeds values ('late')");
    let late: Promise<unknown> | undefined;
    await moveDatabase({
      source: source.connection,
      target: target.connection,
      migrations,
      onTable: () => {
        late ??= frozen.query("execute late").catch((error: unknown) => error);
      },
    });
    assert.match(String(await late), /the data was moved to/);
    assert.deepEqual(await query(target, "select name from notes.seeds"), [{ name: "of an administrator" }]);
    await frozen.close();
  });

  it("goes back to the database that was left, with what was written since, and not to any other one that has a platform", async () => {
    await move();
    await query(target, "insert into notes.seeds values ('since')");
    assert.equal((await move(target, source)).outcome, "moved");
    assert.equal(await refusal(source), undefined);
    assert.match((await refusal(target)) ?? "", /was moved to/);
    assert.equal((await query(source, "select from notes.seeds")).length, 2);
    assert.equal((await query(source, "select from pg_tables where tablename = 'foreign_table'")).length, 1);
    const other = await createTestDatabase(server);
    await other.database.migrate(migrations);
    await other.database.stop();
    for (const occupied of [source, target])
      await assert.rejects(move(other, occupied), /has tables of a platform already: expected an empty database/);
    await other.stop();
  });

  it("is undone: the former database is used again without what was written since", async () => {
    await assert.rejects(undoMove(source.connection), /was not moved/);
    await move();
    await undoMove(source.connection);
    assert.equal(await refusal(source), undefined);
    await query(source, "insert into notes.seeds values ('again')");
  });

  it("is refused while a process of the platform runs, and a process that starts during it, on either side", async () => {
    const running = reopen(source.connection);
    await running.query("select 1");
    await assert.rejects(move(), /the platform runs on .* \(1 connection from .*\): stop all servers/);
    await running.stop();
    await query(
      source,
      "insert into platform.servers values (gen_random_uuid(), 'apps-1:4711', 'memory', false, 'embedded', clock_timestamp())",
    );
    await assert.rejects(move(), /the server apps-1:4711/);
    await query(source, "delete from platform.servers");
    const refused: Promise<(string | undefined)[]>[] = [];
    await moveDatabase({
      source: source.connection,
      target: target.connection,
      migrations,
      onTable: () => void (refused.length === 0 && refused.push(Promise.all([source, target].map(refusal)))),
    });
    for (const message of (await refused[0]) ?? []) assert.match(message ?? "", /the database is being moved/);
  });

  it("that fails leaves the source as it was, or is finished by a second call; at no point both are used", async () => {
    await query(source, "alter table notes.pages drop constraint pages_book_fkey");
    await query(source, "insert into notes.pages (book) values (gen_random_uuid())");
    await assert.rejects(move(), /violates foreign key constraint/);
    assert.deepEqual([await refusal(source), await hasTables(target)], [undefined, false]);
    await query(source, "delete from notes.pages where length is null and book is not null");
    // Fails after the first commit, that of the copy.
    const trigger = "trigger refuse_write before insert on notes.log";
    await query(source, `create ${trigger} for each row execute function notes.log_page()`);
    await assert.rejects(move(), /trigger "refuse_write" .* already exists/);
    assert.equal(await refusal(source), undefined);
    assert.match((await refusal(target)) ?? "", /the move of .* to this database has not ended/);
    await query(source, "drop trigger refuse_write on notes.log");
    await query(source, "insert into notes.seeds values ('later')");
    assert.equal((await move()).outcome, "moved");
    // As if the process had been killed after the second commit, that of the source.
    await query(target, "update platform.database_home set state = 'arriving'");
    assert.match((await refusal(source)) ?? "", /was moved to/);
    assert.match((await refusal(target)) ?? "", /has not ended/);
    assert.equal((await move()).outcome, "finished");
    assert.equal(await refusal(target), undefined);
    assert.equal((await query(target, "select from notes.seeds")).length, 2);
  });

  it("is refused with the reason if the target cannot take it, and then changes nothing", async () => {
    const { connection } = target;
    await query(target, "create schema notes");
    await assert.rejects(move(), /has a schema notes already/);
    await query(target, "drop schema notes");
    const limited = { ...connection, user: `limited_${connection.database}`, password: "canary-password" };
    await query(target, `create role ${limited.user} login password '${limited.password}'`);
    const moveTo = (to: PostgresConnection) => move(source, { connection: to });
    await assert.rejects(moveTo(limited), /may not create schemas/);
    await assert.rejects(
      moveTo({ ...limited, password: "canary-other" }),
      ({ message }: Error) => message.startsWith(`${connection.host}:${connection.port}/`) && !message.includes("canary"),
    );
    await query(target, `drop role ${limited.user}`);
    const latin = `${connection.database}_latin`;
    await query(target, `create database ${latin} encoding latin1 locale 'C' template template0`);
    await assert.rejects(moveTo({ ...connection, database: latin }), /has the encoding LATIN1: expected UTF8/);
    await query(target, `drop database ${latin}`);
    await assert.rejects(moveTo(source.connection), /is in .* already: expected another database/);
    await assert.rejects(
      moveTo({ ...source.connection, host: "localhost" }),
      rejectsWith("CONFLICT", /or both addresses lead to it/),
    );
    assert.equal(await hasTables(target), false);
    assert.equal(await refusal(source), undefined);
  });

  it("needs roles that own their databases, and no superuser", async () => {
    const role = `owner_${source.connection.database}`;
    const login = { user: role, password: "of-the-owner" };
    await query({ connection: server.connection }, `create role ${role} login password '${login.password}'`);
    const [from, to] = await Promise.all([createTestDatabase(server), createTestDatabase(server)]);
    for (const { connection } of [from, to])
      await query({ connection }, `alter database ${connection.database} owner to ${role}`);
    const [owned, empty] = [from, to].map(({ connection }) => ({ connection: { ...connection, ...login } }));
    assert.ok(owned && empty);
    assert.equal(await refusal(owned), undefined);
    assert.equal((await move(owned, empty)).outcome, "moved");
    assert.match((await refusal(owned)) ?? "", /was moved to/);
    assert.equal((await move(empty, owned)).outcome, "moved");
    await Promise.all([from, to].map((each) => each.stop()));
    await query({ connection: server.connection }, `drop role ${role}`);
  });
});
