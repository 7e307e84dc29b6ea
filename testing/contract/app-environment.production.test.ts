import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import {
  eventually,
  jsonOf,
  type PlatformUnderTest,
  platformVariant,
  send,
  startPlatform,
  untilState,
} from "@appserver/testing/kit";
import type { TestDockerEngine } from "@appserver/testing/kit/docker";
import { underLoad } from "../kit/under-load.ts";
import { appProcess } from "./app-process.ts";
import { platformEngine } from "./platform-engine.ts";

const [notes, clock] = ["com.example.notes", "com.example.clock"];
const isEmbedded = platformVariant === "embedded";
const skip = isEmbedded && process.platform !== "linux" ? "needs /proc" : false;
const timeoutMs = 60_000;
const secret = "canary-7d1e-station";

/** What the clock shows of its environment. */
interface Shown {
  readonly calendar: string | null;
  readonly motto: string | null;
  readonly station: string | null;
}

/** A part of the record of a deployment. */
interface Record {
  readonly generation: number;
  readonly outOfDate: boolean;
  readonly state: string;
}

describe("the environment that an app declares", { skip }, () => {
  let platform: PlatformUnderTest;
  let engine: TestDockerEngine | undefined;
  let cookie = "";
  let appId = "";
  before(async () => {
    platform = await startPlatform();
    engine = await platformEngine();
    for (const name of [notes, clock]) await untilState(platform, name, "RUNNING", timeoutMs);
    cookie = await platform.login("admin");
    const { data } = await platform.graphql(`{ app(name: "${clock}") { id } }`);
    appId = (data as { app: { id: string } }).app.id;
  });
  after(async () => {
    // Other files may use the same platform.
    if (appId !== "") {
      await set({ "clock.motto": null, "clock.station_key": null });
      await untilShown({ motto: "Time flies", station: null });
      await untilUpToDate();
    }
    await platform?.stop();
    await engine?.stop();
  });

  const set = async (settings: object): Promise<void> => {
    const mutation =
      "mutation ($id: ID!, $s: JSON!) { updateSettings(appID: $id, settings: $s) { success error { message } } }";
    const { data } = await platform.graphql(mutation, { id: appId, s: settings });
    assert.deepEqual(data, { updateSettings: { success: true, error: null } });
  };
  const call = () => send(platform.httpUrl, `/api/apps/${clock}/now`, { headers: { cookie } });
  const shown = async (): Promise<Shown> => jsonOf(await call()) as Shown;
  const untilShown = (expected: Partial<Shown>) =>
    eventually(shown, (now) => Object.entries(expected).every(([name, value]) => now[name as keyof Shown] === value), {
      timeoutMs,
      what: JSON.stringify(expected),
    });
  const deployment = async (): Promise<Record> => {
    const { data, errors } = await platform.graphql(`{ app(name: "${clock}") { deployment { generation outOfDate state } } }`);
    assert.equal(errors, undefined, JSON.stringify(errors));
    return (data as { app: { deployment: Record } }).app.deployment;
  };
  const untilUpToDate = () =>
    eventually(deployment, ({ outOfDate, state }) => !outOfDate && state === "HEALTHY", { timeoutMs, what: "up to date" });
  const linesOf = async (name: string): Promise<readonly string[]> =>
    engine ? ((await engine.inspect(`app-${name}`))?.Config.Env ?? []) : (appProcess(platform, name)?.environment ?? []);

  test("constants and the values of settings arrive, a default where nothing is set", async () => {
    assert.partialDeepStrictEqual(await shown(), { calendar: "gregory", motto: "Time flies", station: null });
    const lines = await linesOf(clock);
    for (const line of ["CLOCK_CALENDAR=gregory", "CLOCK_MOTTO=Time flies"]) assert.ok(lines.includes(line), line);
    assert.ok(!lines.some((line) => line.startsWith("CLOCK_STATION_KEY=")));
    assert.ok(!(await linesOf(notes)).some((line) => line.startsWith("CLOCK_")));
  });

  test("a changed setting arrives without a command and without a failed request", async (t) => {
    const before = await deployment();
    assert.equal(before.outOfDate, false);
    let now = before;
    const startedAt = performance.now();
    const calls = await underLoad(t, { calls: async () => (await call()).status }, async () => {
      await set({ "clock.motto": "Tempus fugit" });
      await untilShown({ motto: "Tempus fugit" });
      t.diagnostic(`arrived after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
      now = await untilUpToDate();
    });
    assert.ok(calls > 10, String(calls));
    assert.equal(now.generation, before.generation + 1);
    const { data } = await platform.graphql(`{ app(name: "${clock}") { versionHistory(first: 1) { kind actor } } }`);
    assert.deepEqual(data, { app: { versionHistory: [{ kind: "REDEPLOY", actor: "system:out-of-date" }] } });
  });

  test("a secret arrives, and stands in no label, no event, no record, no log line and no other app's environment", async () => {
    await set({ "clock.station_key": secret });
    await untilShown({ station: createHash("sha256").update(secret).digest("hex").slice(0, 8) });
    await untilUpToDate();
    // The new container gets the name of the app when the earlier one has been removed.
    const ofNew = await eventually(
      () => linesOf(clock),
      (lines) => lines.some((line) => line.startsWith("CLOCK_STATION_KEY=")),
      {
        timeoutMs,
        what: "the variable of the secret",
      },
    );
    assert.deepEqual(
      ofNew.filter((line) => line.includes(secret)),
      [`CLOCK_STATION_KEY=${secret}`],
    );
    assert.ok(!(await linesOf(notes)).some((line) => line.includes(secret)));
    const guesses = [secret, createHash("sha256").update(secret).digest("hex")];
    const labels = JSON.stringify((await engine?.inspect(`app-${clock}`))?.Config.Labels ?? {});
    const rows = await platform.onDatabase(async (sql) => {
      const { rows: tables } = await sql.query<{ schema: string; name: string }>(
        `select table_schema as schema, table_name as name from information_schema.tables
         where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
      );
      const found: string[] = [];
      for (const { schema, name } of tables) {
        const text = `select 1 from "${schema}"."${name}" t where t::text like any($1) limit 1`;
        if ((await sql.query(text, [guesses.map((guess) => `%${guess}%`)])).rows.length > 0) found.push(`${schema}.${name}`);
      }
      return found;
    });
    assert.deepEqual(rows, []);
    for (const text of [labels, await platform.log()]) assert.ok(!guesses.some((guess) => text.includes(guess)));
  });
});
