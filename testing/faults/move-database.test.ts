import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { undoMove } from "@appserver/database-postgres";
import { DatabaseHome, type DatabaseState } from "@appserver/kernel";
import {
  createTestDatabase,
  eventually,
  onDatabase,
  scaled,
  startOwnPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { appserver, ProductionProcess } from "@appserver/testing/kit/production";

const rows = 30_000;
const kills = scaled(24, 5);

/** docs/guides/one-machine-to-many.md#the-database */
describe("kill -9 of a move of the database", () => {
  let server: TestPostgres;
  let source: TestDatabase;
  let target: TestDatabase;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    server = await startOwnPostgres();
    source = await createTestDatabase(server);
    environment = {
      ...variablesOf(source),
      APPSERVER_SETTINGS_ENCRYPTION_KEY: "01".repeat(32),
      APPSERVER_AUTHORIZATION_DRIVER: "embedded",
      APPSERVER_IDENTITY_DRIVER: "accounts",
    };
    await appserver(["migrate"], environment);
    await source.database.query(
      `insert into platform.audit_log (id, at, actor, action, target, outcome)
       select gen_random_uuid(), now(), 'ada', 'app.install', 'app:' || n, 'success' from generate_series(1, ${rows}) n`,
    );
    await source.database.stop();
    await renewTarget();
  });
  after(async () => {
    await target?.stop();
    await source?.stop();
    await server?.stop();
  });

  function variablesOf({ connection }: TestDatabase): Readonly<Record<string, string>> {
    return {
      APPSERVER_DB_HOST: connection.host,
      APPSERVER_DB_PORT: `${connection.port}`,
      APPSERVER_DB_USER: connection.user,
      APPSERVER_DB_PASSWORD: connection.password,
      APPSERVER_DB_NAME: connection.database,
    };
  }

  async function renewTarget(): Promise<void> {
    await target?.stop();
    target = await createTestDatabase(server);
    await target.database.stop();
  }

  const words = (): string[] => {
    const { host, port, user, password, database } = target.connection;
    return ["database", "move", "--to", `postgres://${user}:${password}@${host}:${port}/${database}`];
  };
  /** Undefined: there are no tables. */
  const stateOf = ({ connection }: TestDatabase): Promise<DatabaseState | undefined> =>
    onDatabase(connection, async (database) => (await new DatabaseHome(database).read())?.state);
  const entriesOf = ({ connection }: TestDatabase): Promise<number> =>
    onDatabase(connection, async (database) => (await database.query("select from platform.audit_log")).count);

  /** As a process of the platform that starts and writes. */
  const isUsed = ({ connection }: TestDatabase): Promise<boolean> =>
    onDatabase(connection, async (database) => {
      await database.query("update platform.audit_log set details = null where false");
      return new DatabaseHome(database).require().then(() => true);
    }).catch(() => false);

  /** Resolves when the server has noticed that the process has ended. */
  const untilReleased = () =>
    eventually(() =>
      onDatabase(source.connection, async (database) => {
        const { count } = await database.query(
          "select from pg_stat_activity where application_name = 'appserver database move'",
        );
        return count === 0;
      }),
    );

  test(`at ${kills} moments and at its commits: one of the two databases is used, with all data, and a second call ends the move`, async (t) => {
    const began = performance.now();
    await appserver(words(), environment);
    const wholeMs = performance.now() - began;
    const seen = new Map<string, number>();
    // The last ones wait for the copy to be visible, which is between its commit and the end.
    for (let kill = 0; kill < kills + 3; kill += 1) {
      await undoMove(source.connection);
      await renewTarget();
      const move = new ProductionProcess(words(), environment);
      move.start();
      if (kill < kills) await sleep((wholeMs * (kill + 1)) / (kills + 1));
      else await eventually(async () => (await stateOf(target)) !== undefined || !move.isRunning);
      await move.kill();
      await untilReleased();
      const [left, home] = [await stateOf(source), await stateOf(target)];
      const states = `${left} → ${home ?? "empty"}`;
      seen.set(states, (seen.get(states) ?? 0) + 1);
      const expected = ["home → empty", "home → arriving", "left → arriving", "left → home"];
      assert.ok(expected.includes(states), states);
      assert.equal(await isUsed(source), left === "home", states);
      if (home !== undefined) assert.equal(await entriesOf(target), rows, states);
      if (states !== "left → arriving")
        assert.notEqual(await isUsed(source), home === "home" && (await isUsed(target)), states);
      await appserver(words(), environment);
      assert.deepEqual([await stateOf(source), await stateOf(target)], ["left", "home"]);
      assert.equal(await entriesOf(target), rows);
    }
    t.diagnostic(JSON.stringify(Object.fromEntries(seen)));
    assert.ok((seen.get("home → empty") ?? 0) > 0);
  });
});
