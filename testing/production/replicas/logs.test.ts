import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { DockerRuntime } from "@appserver/containers-docker";
import { scaled, testApp } from "@appserver/testing/kit";
import { dockerEngineForTests, type TestDockerEngine } from "@appserver/testing/kit/docker";
import {
  ProductionOrchestrator,
  type ProductionServices,
  ReplicaGroup,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { ensureRegistry } from "../../../tools/services/registry.ts";
import { publishChattyImage } from "./chatty-image.ts";
import { LogReader } from "./log-reader.ts";

const name = "test.chatty";
const linesPerSecond = 10_000;
const seconds = scaled(60, 8);
/** How long a reader is stuck at a time. A socket that leaves a ping unanswered until the next one, 10 s later, is closed. */
const stuckMs = 8_000;
/** Generous: a leak of what one reader leaves out would exceed it within the test. */
const mayGrowMb = 150;

const docker = await dockerEngineForTests();
const registry = await ensureRegistry();
const started = await startProductionServices();
const missing = [docker, registry, started].find((server) => "unavailable" in server);

describe("logs over two servers and two orchestrators", {
  skip: missing && "unavailable" in missing ? missing.unavailable : false,
}, () => {
  const services = started as ProductionServices;
  const engine = docker as TestDockerEngine;
  const network = `appserver-${services.instance}`;
  const orchestrators: ProductionOrchestrator[] = [];
  let group: ReplicaGroup;

  before(async () => {
    if ("unavailable" in registry) return;
    const { socketPath } = engine;
    const publish = publishChattyImage(socketPath, `${registry.host}/${name}:latest`, linesPerSecond);
    [group] = await Promise.all([ReplicaGroup.start(services), publish]);
    const runtime = new DockerRuntime({ socketPath });
    await runtime.ensureNetwork(network);
    await runtime.close();
    const { httpUrl, grpcUrl } = group.server(0);
    const environment = { APPSERVER_CONTAINERS_ENDPOINT: "network", APPSERVER_CONTAINERS_DATABASE_SHARED_SERVER: "true" };
    const options = { socketPath, network, registry: registry.host, httpUrl, grpcUrl, environment };
    for (let n = 0; n < 2; n++) orchestrators.push(new ProductionOrchestrator(services.environment, options));
    for (const orchestrator of orchestrators) orchestrator.start();
    await Promise.all(orchestrators.map((orchestrator) => orchestrator.ready()));
    const api = { base_path: `/api/apps/${name}`, upstream_base_url: `http://app-${name}:3000` };
    await group.register(group.server(0), await testApp({ name, web_app: { api } }));
    await group.client(group.server(0)).marketplace.installApp({ name });
    await group.untilState(group.server(0), name, "RUNNING");
  });
  after(async () => {
    await Promise.all(orchestrators.map((orchestrator) => orchestrator.stop()));
    await group?.stop();
    if (!missing) {
      await engine.tidyUp(services.instance, network);
      await engine.stop();
    }
    for (const server of [registry, started]) if (!("unavailable" in server)) await server.stop();
  });

  const reader = (server: number, isExact = true): LogReader => new LogReader(group, group.server(server), name, isExact);
  const processes = () => [...group.servers, ...orchestrators].filter(({ isRunning }) => isRunning);
  const memory = (): readonly number[] => processes().map(({ pid }) => residentMb(pid));

  test(`${linesPerSecond} lines a second reach readers of both servers in order, and memory stays flat although one reader is stuck`, async (t) => {
    const readers = [reader(0).read(), reader(1).read()];
    const stuck = reader(1).read();
    await Promise.all([...readers, stuck].map((each) => each.untilRead(linesPerSecond)));
    stuck.pause();
    const earlier = memory();
    const until = performance.now() + seconds * 1_000;
    const peaks = [...earlier];
    for (let moveAt = performance.now() + stuckMs; performance.now() < until; ) {
      await sleep(500);
      if (performance.now() > moveAt) {
        stuck.read();
        await stuck.untilRead(linesPerSecond);
        stuck.pause();
        moveAt = performance.now() + stuckMs;
      }
      for (const [index, mb] of memory().entries()) peaks[index] = Math.max(peaks[index] ?? 0, mb);
    }
    t.diagnostic(
      `${seconds} s: resident ${earlier.map(Math.round).join(", ")} MB, peaks ${peaks.map(Math.round).join(", ")} MB`,
    );
    for (const [index, mb] of peaks.entries()) {
      assert.ok(mb - (earlier[index] ?? 0) < mayGrowMb, `process ${index} grew from ${earlier[index]} MB to ${mb} MB`);
    }
    // What it missed is counted, and lines follow again.
    stuck.read();
    await stuck.untilRead(5 * linesPerSecond);
    assert.ok(stuck.leftOut > 0, "the reader that was stuck missed lines");
    for (const each of [...readers, stuck]) {
      t.diagnostic(`received ${each.lines} lines, ${each.leftOut} left out`);
      assert.equal(each.starts, 0);
      await each.stop();
    }
  });

  test("a reader continues after the last line when the orchestrator that sent it is killed", async () => {
    // The engine keeps the lines of some ten seconds, about as long as the lease of the orchestrator lasts.
    const each = reader(0, false).read();
    await each.untilRead(100);
    const holder = await holderOf();
    const before = each.lines;
    await holder.kill();
    // The lease ends after 10 s, and the reader asks again every 10 s.
    await each.untilRead(15 * linesPerSecond);
    assert.ok(each.lines > before);
    assert.equal(each.starts, 0, "it is the same container");
    await each.stop();
  });

  /** Returns the orchestrator that holds the lease of the app. */
  const holderOf = async (): Promise<ProductionOrchestrator> => {
    const { rows } = await services.database.query<{ holder: string }>("select holder from platform.leases where name = $1", [
      `orchestration:${name}`,
    ]);
    const pid = Number(rows[0]?.holder.split(":").at(-1));
    return orchestrators.find((orchestrator) => orchestrator.pid === pid) ?? assert.fail(`no orchestrator ${pid}`);
  };
});

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}
