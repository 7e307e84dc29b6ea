import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestPostgres, type TestPostgres } from "@appserver/testing/kit";
import pg from "pg";
import { beginWith } from "./begin-with.ts";
import { clientConfig } from "./postgres-connection.ts";

describe("the first statement of a transaction", () => {
  let server: TestPostgres;
  let pool: pg.Pool;
  let client: pg.PoolClient;
  before(async () => {
    server = await startTestPostgres();
    pool = new pg.Pool({ ...clientConfig(server.connection, 5_000), max: 1 });
    client = await pool.connect();
    await client.query("create table kept (id bigint primary key)");
  });
  after(async () => {
    client?.release();
    await pool?.end();
    await server?.stop();
  });

  const kept = async (): Promise<unknown> => (await client.query("select id from kept order by id")).rows;

  test("runs inside it, with the types of the connection", async () => {
    const begin = "begin isolation level serializable";
    const { rows, rowCount } = await beginWith(client, begin, "insert into kept values ($1) returning id", [1]);
    assert.deepEqual([rows, rowCount], [[{ id: 1 }], 1]);
    assert.deepEqual((await client.query("show transaction_isolation")).rows, [{ transaction_isolation: "serializable" }]);
    await client.query("rollback");
    assert.deepEqual(await kept(), []);
    assert.equal((await beginWith(client, begin, "insert into kept values (2)", [])).rowCount, 1);
    await client.query("commit");
    assert.deepEqual(await kept(), [{ id: 2 }]);
  });

  test("fails it", async () => {
    await assert.rejects(beginWith(client, "begin", "insert into kept values ($1)", [2]), { code: "23505" });
    await assert.rejects(client.query("select 1"), { code: "25P02" });
    await client.query("rollback");
  });

  test("is not executed if the transaction cannot begin", async () => {
    await assert.rejects(beginWith(client, "begin isolation level nonsense", "insert into kept values ($1)", [3]), {
      code: "42601",
    });
    assert.deepEqual(await kept(), [{ id: 2 }]);
  });
});
