import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import {
  embeddedDatabaseFolder,
  eventually,
  jsonOf,
  killPostgres,
  RunningPlatform,
  send,
  until,
  untilState,
} from "@appserver/testing/kit";
import { processesOf } from "./app-processes.ts";
import { prepareSampleApps } from "./faulty-platform.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const notes = "com.example.notes";
const option = "APPSERVER_CONTAINERS_DATABASE_SHARED_SERVER";

suite("the server of the apps' databases under appserver dev", { skip }, () => {
  let old: RunningPlatform;
  let platform: RunningPlatform;
  before(prepareSampleApps);
  before(async () => {
    old = await RunningPlatform.create({ environment: { [option]: "true" } });
    platform = await RunningPlatform.create({ dataDir: old.dataDir });
  });
  after(async () => {
    await platform?.stop();
    await old?.stop();
  });

  const appsServer = () => embeddedDatabaseFolder(platform.dataDir, "postgres-apps");
  const postmaster = async (): Promise<number> =>
    Number((await readFile(join(await appsServer(), "data/postmaster.pid"), "utf8")).split("\n")[0]);
  const readiness = async () =>
    jsonOf(await send(platform.httpUrl, "/ready")) as { status: string; checks: Record<string, { status: string }> };
  const untilUp = async (): Promise<void> => {
    await eventually(readiness, ({ status, checks }) => status === "ready" && checks["app_databases"]?.status === "up");
    await untilState(platform, notes, "RUNNING", 60_000);
  };

  test("databases on the platform's server stay there, and one line says so", async () => {
    old.process.start();
    await old.installed();
    await untilState(old, notes, "RUNNING", 60_000);
    assert.equal(await old.interrupt(), 0);
    assert.equal(existsSync(join(platform.dataDir, "postgres-apps")), false);
    platform.process.start();
    await platform.installed();
    assert.equal(platform.printed.match(/databases of apps in postgres\/ not used: .*database_shared_server=true/g)?.length, 1);
    await untilUp();
    const counts = await platform.onAppServer((sql) => sql.query("select from pg_database where starts_with(datname, 'app_')"));
    assert.ok(counts.count >= 2, String(counts.count));
  });

  test("it starts again after kill -9, alone or with the platform, and ends with Ctrl-C", async () => {
    const first = await postmaster();
    killPostgres(first);
    await until("another server runs", async () => (await postmaster()) !== first);
    await untilUp();
    await platform.process.kill();
    platform.process.start();
    await platform.installed();
    await untilUp();
    assert.equal(await platform.interrupt(), 0);
    assert.deepEqual(processesOf(platform.dataDir), []);
  });

  test("without its files the data folder is incomplete, and a start names what is damaged", async () => {
    platform.process.start();
    await platform.installed();
    const base = join(await appsServer(), "data/base");
    await rename(base, `${base}.away`);
    await eventually(readiness, ({ checks }) => checks["data_folder"]?.status === "down");
    await rename(`${base}.away`, base);
    await eventually(readiness, ({ checks }) => checks["data_folder"]?.status === "up");
    assert.equal(await platform.interrupt(), 0);
    const version = join(await appsServer(), "data/PG_VERSION");
    await rename(version, `${version}.away`);
    platform.process.start();
    await eventually(
      () => platform.process.isRunning,
      (isRunning) => !isRunning,
    );
    assert.match(platform.printed, /The data folder \S+ is damaged \(PG_VERSION is missing\)/m);
    assert.deepEqual([platform.process.exitReason, processesOf(platform.dataDir)], ["1", []]);
    await rename(`${version}.away`, version);
  });
});
