import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresDatabase } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import { freezePostgres, startOwnPostgres, type TestPostgres, testPool } from "@appserver/testing/kit";

const skip = process.platform === "linux" ? false : "needs /proc";

describe("a server that does not respond", { skip }, () => {
  let server: TestPostgres;
  let database: PostgresDatabase;
  before(async () => {
    server = await startOwnPostgres();
    database = new PostgresDatabase({
      ...testPool,
      connection: server.connection,
      logger: silentLogger,
      clock: new SystemClock(),
    });
  });
  after(async () => {
    await database?.stop();
    await server?.stop();
  });

  test("statements and transactions fail as unavailable within 15 s, on old and new connections; afterwards all work again", async () => {
    await Promise.all(Array.from({ length: 3 }, () => database.query("select pg_sleep(0.1)")));
    const { rows } = await database.query<{ data_directory: string }>("show data_directory");
    const [postmaster] = readFileSync(join(rows[0]?.data_directory ?? "", "postmaster.pid"), "utf8").split("\n");
    const startedAt = performance.now();
    const thawed = freezePostgres(Number(postmaster), 22_000);
    await sleep(100);
    const works = [
      ...Array.from({ length: 5 }, () => database.query("select 1")),
      database.transaction(async (tx) => {
        await tx.query("select 1");
      }),
    ];
    const reasons = await Promise.all(
      works.map((work) =>
        work.then(
          () => "answered",
          (error: unknown) => (error instanceof DatabaseError ? error.reason : String(error)),
        ),
      ),
    );
    assert.deepEqual([...new Set(reasons)], ["unavailable"]);
    assert.ok(performance.now() - startedAt < 15_000, `${performance.now() - startedAt} ms`);
    await thawed;
    await database.whenReachable();
    assert.equal((await database.query("select 1")).count, 1);
  });

  test("a statement that is only slow is not ended", async () => {
    assert.equal((await database.query("select pg_sleep(7)")).count, 1);
  });
});
