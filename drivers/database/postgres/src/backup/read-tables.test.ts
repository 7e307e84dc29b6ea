import assert from "node:assert/strict";
import { test } from "node:test";
import { embeddedFolders, embeddedServer, withDatabase } from "../../test/embedded-fixture.ts";
import { readTables } from "./read-tables.ts";

const folders = embeddedFolders();

/** A conditional index, whose condition the planner computes, and a policy: both are code of an app. */
const planted = `
  create function public.is_app() returns boolean language plpgsql immutable as $$
  begin
    if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then raise 'run by a superuser'; end if;
    return true;
  end $$;
  create function public.condition(integer) returns boolean language sql immutable as 'select public.is_app()';
  create role app_owner;
  grant create on schema public to app_owner;
  create table public.written (id integer, text text);
  insert into public.written select n, 'text' from generate_series(1, 300) n;
  create function public.never() returns boolean language plpgsql as $$ begin raise 'a policy'; end $$;
  alter table public.written enable row level security, force row level security;
  create policy hidden on public.written using (public.never());
  alter table public.written owner to app_owner;
  set role app_owner;
  create index planted on public.written (id) where public.condition(1)`;

test("reads every table, and runs no code of an app as a superuser", async () => {
  const server = embeddedServer(folders.folder("read"));
  await server.start();
  try {
    const { connection } = server;
    await withDatabase(connection, (database) => database.query(planted));
    await withDatabase(connection, (database) =>
      assert.rejects(database.query("select count(*) from public.written"), /run by a superuser/),
    );
    const read = (await readTables(connection)).find(({ name }) => name === connection.database);
    assert.deepEqual(read, { name: connection.database, tables: 1, rows: 300 });
  } finally {
    await server.stop();
  }
});
