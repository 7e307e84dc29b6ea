import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, platformVariant, startPlatform, untilState } from "@appserver/testing/kit";
import type { TestDockerEngine } from "@appserver/testing/kit/docker";
import pg from "pg";
import { appProcess } from "./app-process.ts";
import { command } from "./commands.ts";
import { platformEngine } from "./platform-engine.ts";

const [notes, clock] = ["com.example.notes", "com.example.clock"];
const isEmbedded = platformVariant === "embedded";
const skip = isEmbedded && process.platform !== "linux" ? "needs /proc" : false;

/** The environment of a running app, as the operating system or the engine shows it. */
type Variables = Readonly<Record<string, string>>;

describe("the database of an app", { skip }, () => {
  let platform: PlatformUnderTest;
  let engine: TestDockerEngine | undefined;
  before(async () => {
    platform = await startPlatform();
    engine = await platformEngine();
    for (const name of [notes, clock]) await untilState(platform, name, "RUNNING", 60_000);
  });
  after(async () => {
    await platform?.stop();
    await engine?.stop();
  });

  const variablesOf = async (name: string): Promise<Variables> =>
    parsed(
      engine ? ((await engine.inspect(`app-${name}`))?.Config.Env ?? []) : (appProcess(platform, name)?.environment ?? []),
    );
  /** Connects with what the app has in its environment. */
  const connected = async <T>(variables: Variables, work: (client: pg.Client) => Promise<T>, database?: string): Promise<T> => {
    const { DB_HOST: host = "", DB_PORT, DB_NAME, DB_USER: user = "", DB_PASSWORD: password = "" } = variables;
    const client = new pg.Client({ host, port: Number(DB_PORT), user, password, database: database ?? DB_NAME ?? "" });
    client.on("error", () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const canConnect = (variables: Variables, database?: string): Promise<boolean> =>
    connected(variables, async () => true, database).catch(() => false);
  const rowsOf = (variables: Variables): Promise<readonly unknown[]> =>
    connected(variables, async (client) => (await client.query("select text from kept")).rows);
  /** Databases and roles of the app on the server. */
  const left = (name: string): Promise<readonly unknown[]> =>
    platform.onAppServer(async (sql) => {
      const found = await sql.query(
        `select datname as name from pg_database where starts_with(datname, $1)
         union all select rolname from pg_roles where starts_with(rolname, $1)`,
        [`app_${name}_`],
      );
      return found.rows;
    });

  test("each app has its own database and no password of the platform", async () => {
    const [own, other] = [await variablesOf(notes), await variablesOf(clock)];
    assert.match(own["DB_NAME"] ?? "", /^app_com\.example\.notes_[0-9a-f]{8}$/);
    assert.match(own["DB_USER"] ?? "", /^app_com\.example\.notes_[0-9a-f]{8}_g\d+$/);
    assert.equal(own["APPSERVER_DB_PASSWORD"], own["DB_PASSWORD"]);
    assert.notEqual(other["DB_PASSWORD"], own["DB_PASSWORD"]);
    assert.deepEqual(
      Object.keys(own).filter((name) => /REDIS|EVENTBUS|RABBIT/.test(name)),
      [],
    );
    const { rows } = await platform.onDatabase((sql) => sql.query<{ name: string }>("select current_database() as name"));
    assert.equal(await canConnect(own), true);
    for (const database of [rows[0]?.name, other["DB_NAME"]]) assert.equal(await canConnect(own, database), false, database);
  });

  test("data outlives the deployment and the installation, and passwords do not", async () => {
    const first = await variablesOf(notes);
    await connected(first, (client) => client.query("create table kept (text text); insert into kept values ('one')"));
    await command(platform, `redeployApp(name: "${notes}") { success }`);
    const second = await eventually(
      () => variablesOf(notes),
      ({ DB_USER }) => DB_USER !== undefined && DB_USER !== first["DB_USER"],
      { timeoutMs: 60_000, what: "another generation" },
    );
    await connected(second, (client) => client.query("alter table kept add at int; insert into kept values ('two')"));
    assert.deepEqual(await rowsOf(second), [{ text: "one" }, { text: "two" }]);
    await eventually(
      () => canConnect(first),
      (can) => !can,
      { timeoutMs: 60_000, what: "the end of the first password" },
    );
    await command(platform, `uninstallApp(name: "${notes}") { success }`);
    await eventually(
      () => canConnect(second),
      (can) => !can,
      { timeoutMs: 60_000, what: "the end of the second password" },
    );
    await command(platform, `installApp(name: "${notes}") { success }`);
    await untilState(platform, notes, "RUNNING", 60_000);
    assert.deepEqual(await rowsOf(await variablesOf(notes)), [{ text: "one" }, { text: "two" }]);
  });

  test("uninstalling with purge_data deletes the database and every role, and the next installation begins empty", async () => {
    assert.equal((await left(notes)).length, 3);
    await platform.client().marketplace.uninstallApp({ name: notes, purgeData: true });
    await eventually(
      () => left(notes),
      (rows) => rows.length === 0,
      { timeoutMs: 60_000, what: "the end of the database" },
    );
    await command(platform, `installApp(name: "${notes}") { success }`);
    await untilState(platform, notes, "RUNNING", 60_000);
    await assert.rejects(rowsOf(await variablesOf(notes)), /relation "kept" does not exist/);
  });
});

function parsed(lines: readonly string[]): Variables {
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
