import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { restartWith, startOwnPostgres, startTestPostgres, type TestPostgres } from "@appserver/testing/kit";
import pg from "pg";
import { closeDatabases } from "./app-database-server.ts";
import { inspectAppServer } from "./inspect-app-server.ts";

let platform: TestPostgres;
let server: TestPostgres;
before(async () => {
  [platform, server] = await Promise.all([startTestPostgres(), startOwnPostgres()]);
});
after(async () => {
  await server?.stop();
  await platform?.stop();
});

const inspect = (administrator = server.connection, sharedServer = false) =>
  inspectAppServer({ administrator, platform: platform.connection, sharedServer });

test("the platform's own server is refused at any address, unless it is accepted", async () => {
  for (const host of [platform.connection.host, "localhost"]) {
    const { refusals, warnings } = await inspect({ ...platform.connection, host });
    assert.match(refusals.join(), /^The databases of apps would be on the platform's own .*database_admin_url .*=true\.$/);
    assert.deepEqual(warnings, []);
  }
  assert.deepEqual(await inspect(platform.connection, true), { refusals: [], warnings: [] });
});

test("a missing right and prepared transactions are named with the way out", async () => {
  assert.deepEqual(await inspect(), { refusals: [], warnings: [] });
  await asSuperuser("create role \"apps-admin\" login createdb createrole password 'secret'");
  const administrator = { ...server.connection, user: "apps-admin", password: "secret" };
  const { refusals, warnings } = await inspect(administrator);
  assert.deepEqual([refusals, warnings.length], [[], 1]);
  const [, grant = ""] = warnings[0]?.match(/^The role apps-admin may not limit .*: (grant .*;)$/) ?? [];
  await asSuperuser(grant);
  assert.deepEqual(await inspect(administrator), { refusals: [], warnings: [] });
  await restartWith(server, "max_prepared_transactions", 7);
  assert.match((await inspect(administrator)).warnings.join(), /^max_prepared_transactions .* is 7, .* Set it to 0\.$/);
  await asSuperuser('alter role "apps-admin" nocreaterole');
  assert.match((await inspect(administrator)).refusals.join(), /^The role apps-admin may not create databases and roles/);
});

test("a server that cannot be reached is a warning", async () => {
  const { refusals, warnings } = await inspect({ ...server.connection, port: 1 });
  assert.deepEqual(refusals, []);
  assert.match(warnings.join(), /^The server of the apps' databases could not be checked: .*ECONNREFUSED/);
});

test("a database that is dropped while the others are closed to apps does not end the start", async () => {
  const owner = new pg.Client({ ...server.connection });
  await owner.connect();
  try {
    for (const name of ["dropped", "kept"]) await owner.query(`create database ${name}`);
    const dropping = {
      query: async (text: string) => {
        if (text.startsWith('grant connect on database "dropped"')) await owner.query("drop database dropped");
        return await owner.query(text);
      },
    };
    await closeDatabases(dropping as unknown as pg.Client, server.connection.user);
    const { rows } = await owner.query("select datacl::text as rights from pg_database where datname = 'kept'");
    assert.doesNotMatch(String(rows[0]?.rights), /[{,]=[^,}]*c/, "the public may not connect");
  } finally {
    await owner.end();
  }
});

async function asSuperuser(statement: string): Promise<void> {
  const client = new pg.Client({ ...server.connection });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
