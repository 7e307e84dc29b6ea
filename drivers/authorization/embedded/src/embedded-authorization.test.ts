import assert from "node:assert/strict";
import test, { after, before, describe } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { PostgresDatabase } from "@appserver/database-postgres";
import { isAppError, SystemClock, silentLogger } from "@appserver/kernel";
import {
  CuttableRelay,
  createTestDatabase,
  eventually,
  FakeClock,
  parseModel,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
  testPool,
} from "@appserver/testing/kit";
import { authorizationSuite, suiteModel } from "../../authorization.suite.ts";
import { EmbeddedAuthorization } from "./embedded-authorization.ts";
import { MemoryTupleStore } from "./memory-tuple-store.ts";
import { authorizationMigrations } from "./migrations.ts";
import { SqlTupleStore } from "./sql-tuple-store.ts";
import type { TupleStore } from "./tuple-store.ts";

const model = await parseModel(suiteModel);
const ownership = { user: "user:ann", relation: "owner", object: "app:notes" };

authorizationSuite("embedded, in memory", async () => {
  const authorization = await started(new MemoryTupleStore());
  return { authorization, close: () => authorization.stop() };
});

test("every call before start is refused", async () => {
  const authorization = new EmbeddedAuthorization({ model, store: new MemoryTupleStore(), clock: new FakeClock() });
  await assert.rejects(authorization.check(ownership), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
  await assert.rejects(authorization.write({ writes: [ownership] }), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
});

test("a model with an undefined reference is refused at start, and the error names it", async () => {
  const broken = await parseModel("model\n  schema 1.1\ntype user\ntype app\n  relations\n    define owner: [robot]\n");
  const authorization = new EmbeddedAuthorization({ model: broken, store: new MemoryTupleStore(), clock: new FakeClock() });
  await assert.rejects(authorization.start(), /app#owner refers to the undefined type robot/);
});

describe("on PostgreSQL", () => {
  let server: TestPostgres;
  const databases: TestDatabase[] = [];

  before(async () => {
    server = await startTestPostgres();
  });
  after(async () => {
    for (const database of databases) await database.stop();
    await server.stop();
  });

  async function openDatabase(): Promise<TestDatabase> {
    const opened = await createTestDatabase(server);
    await opened.database.migrate(authorizationMigrations);
    databases.push(opened);
    return opened;
  }

  authorizationSuite("embedded, on PostgreSQL", async () => {
    const { connection } = await openDatabase();
    const pool = new PostgresDatabase({ ...testPool, connection, logger: silentLogger, clock: new SystemClock() });
    const authorization = await started(new SqlTupleStore(pool));
    return {
      authorization,
      cutOff: () => pool.stop(),
      close: () => authorization.stop(),
    };
  });

  test("tuples are kept after the process ends", async () => {
    const { database } = await openDatabase();
    const first = await started(new SqlTupleStore(database));
    await first.write({ writes: [ownership] });
    await first.stop();
    const second = await started(new SqlTupleStore(database));
    assert.equal(await second.check(ownership), true);
    await second.stop();
  });

  test("a grant and its revocation reach other processes by notification", async () => {
    const { database } = await openDatabase();
    const here = await started(new SqlTupleStore(database));
    const there = await started(new SqlTupleStore(database));
    await here.write({ writes: [ownership] });
    await eventually(async () => (await there.check(ownership)) === true);
    await here.write({ deletes: [ownership] });
    await eventually(async () => (await there.check(ownership)) === false);
    await here.stop();
    await there.stop();
  });

  test("while a process cannot hear notifications, it reads changes before it decides", async () => {
    const { database, connection } = await openDatabase();
    const relay = await CuttableRelay.to(connection);
    const through = { ...connection, host: "127.0.0.1", port: relay.port };
    const heard = new PostgresDatabase({ ...testPool, connection: through, logger: silentLogger, clock: new SystemClock() });
    // Its statements do not go through the relay.
    const store = new SqlTupleStore(database);
    const watched = new SqlTupleStore(heard);
    store.watch = (onChange) => watched.watch(onChange);
    let loads = 0;
    const changesSince = store.changesSince.bind(store);
    store.changesSince = (revision) => {
      loads += 1;
      return changesSince(revision);
    };
    const there = new EmbeddedAuthorization({ model, store, clock: new SystemClock() });
    await there.start();
    const here = await started(new SqlTupleStore(database));
    await here.write({ writes: [ownership] });
    await eventually(() => there.check(ownership));
    await eventually(async () => {
      const before = loads;
      await there.check(ownership);
      return before === loads;
    });
    relay.cut();
    await here.write({ deletes: [ownership] });
    // A notification may have been on its way when the connection was cut: at the latest after a second the process is unsure.
    await delay(1_000);
    assert.equal(await there.check(ownership), false);
    await here.write({ writes: [ownership] });
    assert.equal(await there.check(ownership), true);
    relay.restore();
    await eventually(async () => {
      const before = loads;
      await there.check(ownership);
      return before === loads;
    });
    for (const each of [here, there]) await each.stop();
    await heard.stop();
    relay.stop();
  });

  test("a check waits for changes that were announced", async () => {
    const { database } = await openDatabase();
    const store = new SqlTupleStore(database);
    const there = await started(store);
    const here = await started(new SqlTupleStore(database));
    await here.write({ writes: [ownership] });
    await eventually(() => there.check(ownership));
    const slow = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const changesSince = store.changesSince.bind(store);
    store.changesSince = async (revision) => {
      asked.resolve();
      await slow.promise;
      return await changesSince(revision);
    };
    await here.write({ deletes: [ownership] });
    await asked.promise;
    const decided = there.check(ownership);
    slow.resolve();
    assert.equal(await decided, false);
    for (const each of [here, there]) await each.stop();
  });

  test("the regular check finds changes without a notification", async () => {
    const { database } = await openDatabase();
    const clock = new FakeClock();
    const deaf = new SqlTupleStore(database);
    deaf.watch = async () => ({ hears: () => true, close: async () => {} });
    const authorization = await started(deaf, clock);
    await new SqlTupleStore(database).apply([ownership], []);
    assert.equal(await authorization.check(ownership), false);
    await clock.advance(30_000);
    await eventually(() => authorization.check(ownership));
    await authorization.stop();
  });

  test("concurrent writers lose nothing, and all end with the same tuples", async () => {
    const { database } = await openDatabase();
    const writers = await Promise.all([1, 2, 3].map(() => started(new SqlTupleStore(database))));
    const tuples = Array.from({ length: 60 }, (_, n) => ({ user: `user:u${n}`, relation: "owner", object: "app:busy" }));
    await Promise.all(
      writers.flatMap((writer, w) => tuples.filter((_, n) => n % 3 === w).map((tuple) => writer.write({ writes: [tuple] }))),
    );
    for (const writer of writers) {
      await eventually(async () => (await writer.batchCheck(tuples)).every(Boolean));
      await writer.stop();
    }
  });

  test("a process that fell too far behind, or finds a restored database, reloads everything", async () => {
    const { database } = await openDatabase();
    const store = new SqlTupleStore(database);
    await store.apply([ownership], []);
    await database.query("update authz.revision set kept_from = 100, value = 100");
    assert.equal(await store.changesSince(50), undefined);
    assert.equal(await store.changesSince(101), undefined);
    assert.deepEqual(await store.changesSince(100), { revision: 100, changes: [] });
  });

  test("a tuple's condition is stored with it", async () => {
    const { database } = await openDatabase();
    const store = new SqlTupleStore(database);
    const conditional = { ...ownership, condition: { name: "weekday", context: { days: [1, 2] } } };
    await store.apply([ownership], []);
    await store.apply([conditional], []);
    assert.deepEqual(await store.read({}), [conditional]);
    assert.deepEqual((await store.load()).tuples, [conditional]);
    assert.deepEqual((await store.changesSince(1))?.changes, [{ deleted: false, tuple: conditional }]);
  });
});

async function started(store: TupleStore, clock: FakeClock = new FakeClock()): Promise<EmbeddedAuthorization> {
  const authorization = new EmbeddedAuthorization({ model, store, clock });
  await authorization.start();
  return authorization;
}
