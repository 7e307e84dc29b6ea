import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import {
  containerApi,
  eventually,
  type PlatformUnderTest,
  ProductionPlatform,
  publishApp,
  send,
  startPlatform,
  testApp,
  uniqueName,
  untilState,
  untilStatus,
  writeAppFolder,
} from "@appserver/testing/kit";
import { command, purgeApp } from "./commands.ts";

const name = uniqueName("com.example.measured");
const skip = process.platform === "linux" ? false : "needs /proc";
const timeoutMs = 120_000;
const mebibyte = 1_024 * 1_024;
const { containerMemory, containerMemoryLimit, containerCpu, containerRestarts } = metricCatalogue;

/** `GET /work` keeps 64 MiB and uses the processor for two seconds. `GET /crash` ends the app. */
const source = `
import { createServer } from "node:http";

const held = [];
const bodies = {
  "/work": () => {
    held.push(Buffer.alloc(64 * 1024 * 1024, 1));
    for (const start = process.cpuUsage(); process.cpuUsage(start).user < 2e6; ) for (let step = 0; step < 1e6; step += 1);
  },
  "/crash": () => process.exit(3),
};
createServer((request, response) => {
  bodies[new URL(request.url, "http://app").pathname]?.();
  response.end("ok");
}).listen(Number(process.env.PORT), process.env.HOST);
`;

describe("the metrics of containers", { skip }, () => {
  let platform: PlatformUnderTest;
  let folder = "";
  before(async () => {
    folder = await writeAppFolder(source);
    platform = await startPlatform();
    await publishApp(platform, name, folder);
    await platform.register(await testApp({ name, web_app: { api: containerApi(name, ["GET"]) } }));
    await command(platform, `installApp(name: "${name}") { success }`);
    await untilState(platform, name, "RUNNING", timeoutMs);
  });
  after(async () => {
    await purgeApp(platform, name);
    await platform?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const call = (path: string) => send(platform.httpUrl, `/api/apps/${name}${path}`);
  /** Where the orchestrator serves its metrics: a port of its own, or that of `appserver dev`. */
  const scrape = async (): Promise<string> => {
    const own = platform instanceof ProductionPlatform ? platform.addresses.servers : {};
    return (await send(own["APPSERVER_ORCHESTRATOR_METRICS_PORT"] ?? platform.httpUrl, "/metrics")).text;
  };
  /** Returns the values of the app, by metric. */
  const valuesOf = async (): Promise<ReadonlyMap<string, number>> => {
    const series = (await scrape()).matchAll(/^(appserver_container_\w+)\{app="([^"]+)"\} (\S+)$/gm);
    return new Map([...series].flatMap(([, metric = "", app, value]) => (app === name ? [[metric, Number(value)]] : [])));
  };
  const until = (what: string, holds: (values: ReadonlyMap<string, number>) => boolean) =>
    eventually(valuesOf, holds, { timeoutMs, what });

  test("show what an app uses, count a crash, and disappear with the app", async () => {
    await untilStatus(platform.httpUrl, `/api/apps/${name}/x`, 200);
    assert.equal((await call("/work")).status, 200);
    const worked = await until("the work is measured", (values) => (values.get(containerCpu.name) ?? 0) > 2);
    const memory = worked.get(containerMemory.name) ?? 0;
    assert.ok(memory > 64 * mebibyte && memory < 512 * mebibyte, String(memory));
    const limit = platform instanceof ProductionPlatform ? 512 * mebibyte : undefined;
    assert.equal(worked.get(containerMemoryLimit.name), limit, "processes have no limit");
    assert.ok((worked.get(containerCpu.name) ?? 0) < 60);
    assert.equal(worked.get(containerRestarts.name), 0, "increase() needs a value before the first restart");

    await call("/crash");
    await until("the crash is counted", (values) => values.get(containerRestarts.name) === 1);
    const isNew = (values: ReadonlyMap<string, number>): boolean =>
      (values.get(containerMemory.name) ?? Number.POSITIVE_INFINITY) < memory - 32 * mebibyte;
    const again = await until("the next container is measured, without what the first one kept", isNew);
    assert.ok((again.get(containerCpu.name) ?? 0) >= (worked.get(containerCpu.name) ?? 0), "a counter does not decrease");
    assert.equal(again.get(containerRestarts.name), 1);

    await command(platform, `uninstallApp(name: "${name}") { success }`);
    await until("no series is left", (values) => values.size === 0);
    await untilState(platform, name, "UNINSTALLED", timeoutMs);
    await until("no series has come back", (values) => values.size === 0);
  });
});
