import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { StartError } from "@appserver/kernel";
import { type Database, DatabaseError, type Migration } from "@appserver/kernel/ports";

/** One empty database, and any number of drivers on it that act as separate processes. */
export interface DatabaseHarness {
  open(options?: { readonly statementTimeoutMs?: number }): Promise<Database & { stop(): Promise<void> | void }>;
  close(): Promise<void>;
}

/** Declares the tests that every driver of the database family must pass. */
export function databaseSuite(name: string, createHarness: () => Promise<DatabaseHarness>): void {
  describe(`database contract: ${name}`, () => {
    let harness: DatabaseHarness;
    let database: Awaited<ReturnType<DatabaseHarness["open"]>>;
    before(async () => {
      harness = await createHarness();
      database = await harness.open();
    });
    after(async () => {
      await database?.stop();
      await harness?.close();
    });

    test("values have the promised types", async () => {
      const { rows, count } = await database.query(
        `select 9007199254740991::bigint as big, array[1, null]::bigint[] as bigs, $1::bytea as bytes,
                timestamptz '2026-01-02T03:04:05.678Z' as at, '{"a": [1, null]}'::jsonb as json, null::bigint as nothing,
                count(*) as counted`,
        [Buffer.from([0, 255])],
      );
      assert.equal(count, 1);
      assert.deepEqual(rows[0], {
        big: 9007199254740991,
        bigs: [1, null],
        bytes: Buffer.from([0, 255]),
        at: new Date("2026-01-02T03:04:05.678Z"),
        json: { a: [1, null] },
        nothing: null,
        counted: 1,
      });
    });

    test("count returns the number of changed rows", async () => {
      await database.query("create table counted (id int)");
      assert.equal((await database.query("insert into counted values (1), (2), (3)")).count, 3);
      assert.equal((await database.query("delete from counted where id > $1", [1])).count, 2);
    });

    test("a transaction commits its result and rolls back completely if the work rejects", async () => {
      await database.query("create table kept (id int primary key)");
      const result = await database.transaction(async (tx) => {
        await tx.query("insert into kept values (1)");
        return "done";
      });
      assert.equal(result, "done");
      const failure = new Error("changed my mind");
      await assert.rejects(
        database.transaction(async (tx) => {
          await tx.query("insert into kept values (2)");
          throw failure;
        }),
        (error) => error === failure,
      );
      assert.deepEqual((await database.query("select id from kept")).rows, [{ id: 1 }]);
    });

    test("a transaction rejects if its work ignored a failed statement", async () => {
      await database.query("create table swallowed (id int)");
      await assert.rejects(
        database.transaction(async (tx) => {
          await tx.query("insert into swallowed values (1)");
          await tx.query("select 1 / 0").catch(() => {});
        }),
        DatabaseError,
      );
      assert.equal((await database.query("select * from swallowed")).count, 0);
    });

    test("a transaction that has ended refuses statements", async () => {
      const leaked = await database.transaction(async (tx) => tx);
      await assert.rejects(leaked.query("select 1"), /has ended/);
    });

    test("errors carry a reason and the constraint", async () => {
      await database.query("create table parent (id int primary key)");
      await database.query("create table child (id int constraint child_parent references parent)");
      await database.query("insert into parent values (1)");
      await assert.rejects(database.query("insert into parent values (1)"), reason("unique_violation", "parent_pkey"));
      await assert.rejects(database.query("insert into child values (7)"), reason("foreign_key_violation", "child_parent"));
      await assert.rejects(database.query("select nonsense"), reason("other"));
    });

    test("of two conflicting serializable transactions one fails with that reason", async () => {
      await database.query("create table doctors (name text, on_call boolean)");
      await database.query("insert into doctors values ('a', true), ('b', true)");
      const bothRead = barrier(2);
      const signOff = (who: string) =>
        database.transaction(
          async (tx) => {
            await tx.query("select count(*) from doctors where on_call");
            await bothRead();
            await tx.query("update doctors set on_call = false where name = $1", [who]);
          },
          { isolation: "serializable" },
        );
      const outcomes = await Promise.allSettled([signOff("a"), signOff("b")]);
      const failures = outcomes.filter((outcome) => outcome.status === "rejected").map((outcome) => outcome.reason);
      assert.equal(failures.length, 1);
      assert.ok(reason("serialization_failure")(failures[0]));
    });

    test("a statement over its time is a timeout, and the pool continues", async () => {
      const hasty = await harness.open({ statementTimeoutMs: 50 });
      try {
        await assert.rejects(hasty.query("select pg_sleep(10)"), reason("timeout"));
        await hasty.ping();
      } finally {
        await hasty.stop();
      }
    });

    test("work on connections killed by the server is unavailable, and new connections replace them", async () => {
      await assert.rejects(
        database.transaction(async (tx) => {
          const { rows } = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
          await database.query("select pg_terminate_backend($1, 5000)", [rows[0]?.pid]);
          await tx.query("select 1");
        }),
        reason("unavailable"),
      );
      await killOthers(database);
      await database.ping();
    });

    describe("listen", () => {
      test("receives every notification of its channel, from any connection, after the commit", async () => {
        const heard: string[] = [];
        const ends = signal();
        const listening = await database.listen("Some Channel", (payload) => {
          heard.push(payload);
          if (payload === "end") ends.give();
        });
        await database.query("select pg_notify('other', 'not for us')");
        await database
          .transaction(async (tx) => {
            await tx.query("select pg_notify('Some Channel', 'rolled back')");
            throw new Error("no");
          })
          .catch(() => {});
        await database.query("select pg_notify('Some Channel', 'first'), pg_notify('Some Channel', 'end')");
        await ends.given;
        await listening.close();
        await database.query("select pg_notify('Some Channel', 'after close')");
        assert.deepEqual(heard, ["first", "end"]);
      });

      test("reconnects after a lost connection and reports that notifications may be missing", async () => {
        const reconnected = signal();
        const heard = signal();
        const bad = await database.listen(
          "first",
          () => {},
          () => {
            throw new Error("bad handler");
          },
        );
        const listening = await database.listen("survivor", heard.give, reconnected.give);
        await killOthers(database);
        await reconnected.given;
        await database.query("select pg_notify('survivor', '')");
        await heard.given;
        await Promise.all([bad.close(), listening.close()]);
      });

      test("tells whether it hears: soon after it was asked, and not while the connection is lost", async () => {
        const reconnected = signal();
        const listening = await database.listen("certain", () => {}, reconnected.give);
        assert.equal(listening.hears(), false, "it was not checked yet");
        await until(() => listening.hears());
        await killOthers(database);
        await until(() => !listening.hears());
        await reconnected.given;
        await until(() => listening.hears());
        await listening.close();
      });

      test("a notification that was sent before it hears was heard before", async () => {
        const heard: string[] = [];
        const another = await harness.open();
        const listening = await another.listen("before", (payload) => heard.push(payload));
        await database.query("select pg_notify('before', 'sent')");
        await until(() => listening.hears());
        assert.deepEqual(heard, ["sent"]);
        await listening.close();
        await another.stop();
      });

      test("a handler that throws does not affect the others", async () => {
        const heard = signal();
        const bad = await database.listen("shared", () => {
          throw new Error("bad handler");
        });
        const good = await database.listen("shared", heard.give);
        await database.query("select pg_notify('shared', '')");
        await heard.given;
        await Promise.all([bad.close(), good.close()]);
      });
    });

    describe("migrate", () => {
      const migrations: readonly Migration[] = [
        { name: "suite/0001-table", sql: "create table migrated (id int); insert into migrated values (1);" },
        { name: "suite/0002-slow", sql: "select pg_sleep(0.2); insert into migrated values (2);" },
        { name: "suite/0003-more", sql: "insert into migrated values (3);" },
      ];

      test("several concurrent processes apply each migration once", async () => {
        const others = await Promise.all([harness.open(), harness.open()]);
        try {
          const applied = await Promise.all([database, ...others].map((each) => each.migrate(migrations)));
          assert.deepEqual(
            applied.flat().sort(),
            migrations.map(({ name }) => name),
          );
          assert.deepEqual((await database.query("select id from migrated order by id")).rows, [
            { id: 1 },
            { id: 2 },
            { id: 3 },
          ]);
          assert.deepEqual(await database.migrate(migrations), []);
        } finally {
          for (const other of others) await other.stop();
        }
      });

      test("a failing migration leaves no changes, keeps earlier ones, and works once corrected", async () => {
        const first = { name: "other/0001-first", sql: "create table first_one (id int)" };
        const broken = { name: "other/0002-second", sql: "create table second_one (id int); select nonsense" };
        const last = { name: "other/0003-third", sql: "create table third_one (id int)" };
        await assert.rejects(database.migrate([first, broken, last]), /other\/0002-second/);
        assert.deepEqual(await tables(database, "%_one"), ["first_one"]);
        const mended = { ...broken, sql: "create table second_one (id int)" };
        assert.deepEqual(await database.migrate([first, mended, last]), [mended.name, last.name]);
      });

      test("a list without a migration applied by a newer version of the service is refused, and applies nothing", async () => {
        const known = { name: "growing/0001-first", sql: "select 1" };
        const unknown = { name: "growing/0002-second", sql: "select 1" };
        await database.migrate([known, unknown]);
        await assert.rejects(
          database.migrate([{ name: "another/0001-first", sql: "select 1" }, known]),
          /newer version of the platform \(growing\/0002-second is unknown to this one\)/,
        );
        const { rows } = await database.query("select 1 from platform.migrations where name like 'another/%'");
        assert.deepEqual(rows, []);
      });

      test("data of an unreleased version is refused with what to do, and nothing is applied", async () => {
        const unreleased = ["0001-first", "0002-second"].map((name) => ({ name: `squashed/${name}`, sql: "select 1" }));
        await database.migrate(unreleased);
        for (const name of ["squashed/0001-tables", "squashed/0001-edited"]) {
          await assert.rejects(database.migrate([{ name, sql: "select 1" }]), (error) => {
            assert.ok(error instanceof StartError, `${error}`);
            assert.equal(
              error.message,
              "The data was made by an unreleased version of the platform (squashed/0001-first is unknown to this one): " +
                "remove the data folder of `appserver dev`, or use a new database in production.",
            );
            return true;
          });
          const { rows } = await database.query("select 1 from platform.migrations where name = $1", [name]);
          assert.deepEqual(rows, []);
        }
      });

      test("a list without the migrations of another service is accepted", async () => {
        assert.deepEqual(await database.migrate([{ name: "aaa/0001-late", sql: "select 1" }]), ["aaa/0001-late"]);
      });
    });
  });
}

function reason(expected: DatabaseError["reason"], constraint?: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof DatabaseError, `${error}`);
    assert.deepEqual([error.reason, error.constraint], [expected, constraint]);
    return true;
  };
}

/** Ends every other connection to this database, both pooled and listening ones. */
async function killOthers(database: Database): Promise<void> {
  await database.query(
    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
}

async function tables(database: Database, pattern: string): Promise<unknown[]> {
  const { rows } = await database.query("select tablename from pg_tables where tablename like $1 order by 1", [pattern]);
  return rows.map((row) => row["tablename"]);
}

function signal(): { give: () => void; given: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { give: resolve, given: promise };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Returns a function whose callers all wait until `size` of them have arrived. */
function barrier(size: number): () => Promise<void> {
  const all = signal();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === size) all.give();
    return all.given;
  };
}
