import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import {
  eventually,
  jsonOf,
  type PlatformUnderTest,
  platformVariant,
  publishApp,
  send,
  startOwnPlatform,
  uniqueName,
  until,
  untilState,
  untilStatus,
} from "@appserver/testing/kit";
import type { TestDockerEngine } from "@appserver/testing/kit/docker";
import { appProcess } from "./app-process.ts";
import { command, purgeApp, switchBy } from "./commands.ts";
import { linesApp, linesManifest } from "./lines-app.ts";
import { platformEngine } from "./platform-engine.ts";

const [kept, other] = [uniqueName("com.example.kept-lines"), uniqueName("com.example.other-lines")];
const isEmbedded = platformVariant === "embedded";
const skip = isEmbedded && process.platform !== "linux" ? "needs /proc" : false;
const timeoutMs = 120_000;

const data = { name: "data", mount_path: "/data", size: "100Mi" };
const cache = { name: "page-cache", mount_path: "/srv/cache", size: "1Gi" };

interface Storage {
  readonly name: string;
  readonly mountPath: string;
  readonly size: string;
  readonly declared: boolean;
  readonly createdAt: string | null;
  readonly usedBytes: number | null;
}

describe("the storage of an app", { skip }, () => {
  let platform: PlatformUnderTest;
  let engine: TestDockerEngine | undefined;
  let folder = "";
  /** The lines that the app `kept` has confirmed. */
  const lines: string[] = [];
  before(async () => {
    folder = await linesApp();
    platform = await startOwnPlatform("it measures storage every 2 s", {
      flags: ["--no-examples"],
      environment: { APPSERVER_CONTAINERS_STORAGE_USAGE_INTERVAL: "2s" },
    });
    engine = await platformEngine();
    const first = await linesManifest(kept, "1.0.0", [data]);
    for (const app of [
      first,
      await linesManifest(other, "1.0.0", [data]),
      await linesManifest(kept, "1.1.0", [data, cache], first.keys),
      await linesManifest(kept, "1.2.0", [cache], first.keys),
    ]) {
      const { name, version } = app.manifest;
      const isFirst = version === "1.0.0";
      if (isFirst) await publishApp(platform, name, folder);
      await platform.register(app);
      if (!isFirst) continue;
      await command(platform, `installApp(name: "${name}") { success }`);
      await untilState(platform, name, "RUNNING", timeoutMs);
    }
  });
  after(async () => {
    for (const name of [kept, other]) await purgeApp(platform, name);
    await platform?.stop();
    await engine?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const get = async (name: string, path: string): Promise<unknown> =>
    jsonOf(await untilStatus(platform.httpUrl, `/api/apps/${name}${path}`, 200));
  const write = async (name: string, text: string): Promise<void> => {
    const answer = await send(platform.httpUrl, `/api/apps/${name}/lines?text=${text}`, { method: "POST" });
    assert.equal(answer.status, 200, answer.text);
    if (name === kept) lines.push(text);
  };
  const storageOf = async (name: string): Promise<readonly Storage[]> => {
    const fields = "name mountPath size declared createdAt usedBytes";
    const { data } = await platform.graphql(`{ app(name: "${name}") { id storage { ${fields} } } }`);
    return (data as { readonly app: { readonly storage: readonly Storage[] } }).app.storage;
  };
  const idOf = async (name: string): Promise<string> =>
    ((await platform.graphql(`{ app(name: "${name}") { id } }`)).data as { readonly app: { readonly id: string } }).app.id;
  const install = async (name: string): Promise<void> => {
    await command(platform, `installApp(name: "${name}") { success }`);
    await untilState(platform, name, "RUNNING", timeoutMs);
  };
  /** What ends when the app is killed: a process or a container. */
  const running = async () => (engine ? (await engine.inspect(`app-${kept}`))?.Id : appProcess(platform, kept)?.pid);

  test("each app finds its own storage, and that of no other app", async () => {
    await write(kept, "first");
    assert.deepEqual(await get(kept, "/lines"), ["first"]);
    assert.deepEqual(await get(other, "/lines"), []);
    const paths = new Map((await get(kept, "/paths")) as readonly [string, string][]);
    assert.deepEqual([...paths.keys()], ["APP_STORAGE_DATA"]);
    const otherPaths = new Map((await get(other, "/paths")) as readonly [string, string][]);
    if (isEmbedded) assert.notEqual(paths.get("APP_STORAGE_DATA"), otherPaths.get("APP_STORAGE_DATA"));
    else {
      assert.deepEqual([...paths.values(), ...otherPaths.values()], ["/data", "/data"]);
      assert.equal(await get(kept, "/read?path=/data/lines"), "first\n");
      assert.equal(await get(other, "/read?path=/data/lines"), "ENOENT");
    }
  });

  test("what it writes is there after a kill of the app, a redeployment, an upgrade and a rollback", async () => {
    const before = await running();
    assert.ok(before);
    if (engine) await engine.killContainer(`app-${kept}`);
    else process.kill(Number(before), "SIGKILL");
    const isBack = async (): Promise<boolean> => ![undefined, before].includes(await running());
    await until("the app runs again", isBack, timeoutMs);
    await untilState(platform, kept, "RUNNING", timeoutMs);
    assert.deepEqual(await get(kept, "/lines"), lines);
    await write(kept, "after-the-kill");
    await switchBy(platform, `redeployApp(name: "${kept}")`, timeoutMs);
    await write(kept, "after-the-redeployment");
    await switchBy(platform, `upgradeApp(name: "${kept}", version: "1.1.0")`, timeoutMs);
    assert.deepEqual(await get(kept, "/lines"), lines);
    await write(kept, "after-the-upgrade");
    const paths = (await get(kept, "/paths")) as readonly [string, string][];
    assert.deepEqual(paths.map(([name]) => name).sort(), ["APP_STORAGE_DATA", "APP_STORAGE_PAGE_CACHE"]);
    await switchBy(platform, `rollbackApp(name: "${kept}", version: "1.0.0")`, timeoutMs);
    assert.deepEqual(await get(kept, "/lines"), lines);
  });

  test("a release that does not use it keeps it, and the plan says so", async () => {
    const { data } = await platform.graphql(`{ upgradePlan(name: "${kept}", version: "1.2.0") { warnings { message } } }`);
    const { warnings } = (data as { readonly upgradePlan: { readonly warnings: readonly { readonly message: string }[] } })
      .upgradePlan;
    assert.match(warnings.map(({ message }) => message).join(), /does not use its storage, .*: data \(\/data\)/);
    await switchBy(platform, `upgradeApp(name: "${kept}", version: "1.2.0")`, timeoutMs);
    assert.deepEqual(
      (await storageOf(kept)).map(({ name, declared }) => [name, declared]),
      [
        ["data", false],
        ["page-cache", true],
      ],
    );
    await switchBy(platform, `rollbackApp(name: "${kept}", version: "1.0.0")`, timeoutMs);
    assert.deepEqual(await get(kept, "/lines"), lines);
  });

  test("it is listed with its measured size", async () => {
    const [found] = await eventually(
      () => storageOf(kept),
      ([first]) => (first?.usedBytes ?? 0) >= lines.join("\n").length,
      { timeoutMs, what: "the measured size" },
    );
    assert.partialDeepStrictEqual(found, { name: "data", mountPath: "/data", size: "100Mi", declared: true });
    assert.ok(Date.parse(found?.createdAt ?? "") < Date.now());
  });

  test("it is there after another installation, and a deletion of the data leaves nothing of the app", async () => {
    await command(platform, `uninstallApp(name: "${kept}") { success }`);
    await install(kept);
    assert.deepEqual(await get(kept, "/lines"), lines);
    const label = `appserver.app-id=${await idOf(kept)}`;
    const count = (on: "onAppServer" | "onDatabase", from: string, value: string): Promise<number> =>
      platform[on](async (sql) => (await sql.query(`select from ${from}`, [value])).count);
    const left = async () => ({
      databases: await count("onAppServer", "pg_database where starts_with(datname, $1)", `app_${kept}_`),
      roles: await count("onAppServer", "pg_roles where starts_with(rolname, $1)", `app_${kept}_`),
      identities: await count("onDatabase", "orchestration.workload_identities where app_id = $1", await idOf(kept)),
      storage: (await storageOf(kept)).filter(({ createdAt }) => createdAt !== null).length,
      ...(engine ? { volumes: (await engine.volumes(label)).length, networks: (await engine.networks(label)).length } : {}),
    });
    const engineHas = engine ? { volumes: 2, networks: 1 } : {};
    assert.deepEqual(await left(), { databases: 1, roles: 2, identities: 1, storage: 2, ...engineHas });
    await platform.client().marketplace.uninstallApp({ name: kept, purgeData: true });
    await until("nothing is left", async () => Object.values(await left()).every((found) => found === 0), timeoutMs);
    await install(kept);
    assert.deepEqual(await get(kept, "/lines"), []);
  });
});
