import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { DockerRuntime } from "@appserver/containers-docker";
import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppKeys, PlatformClient } from "@appserver/sdk";
import { type TestApp, testApp, until } from "@appserver/testing/kit";
import { dockerEngineForTests, type TestDockerEngine } from "@appserver/testing/kit/docker";
import {
  ProductionOrchestrator,
  type ProductionServices,
  ReplicaGroup,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { ensureRabbitMq } from "../../../tools/services/rabbitmq.ts";
import { ensureRegistry } from "../../../tools/services/registry.ts";
import type { AppProcess } from "../../faults/app-processes.ts";
import { duplicates, type Expectation, violations } from "../../faults/invariants.ts";
import { ProductionRecords } from "../../faults/production-records.ts";
import { publishIdleImage } from "./idle-image.ts";

const count = 100;
const apps = Array.from({ length: count }, (_, n) => `test.app${String(n).padStart(3, "0")}`);
const settleTimeoutMs = 300_000;

const docker = await dockerEngineForTests();
const registry = await ensureRegistry();
const started = await startProductionServices();
const rabbitmq = await ensureRabbitMq();
const missing = [docker, registry, started, rabbitmq].find((server) => "unavailable" in server);

describe("two servers and two orchestrators", {
  skip: missing && "unavailable" in missing ? missing.unavailable : false,
}, () => {
  const services = started as ProductionServices;
  const engine = docker as TestDockerEngine;
  const label = `appserver.instance=${services.instance}`;
  const network = `appserver-${services.instance}`;
  const orchestrators: ProductionOrchestrator[] = [];
  let group: ReplicaGroup;
  let records: ProductionRecords;

  before(async () => {
    if ("unavailable" in registry || "unavailable" in rabbitmq) return;
    const { socketPath } = engine;
    const [, started] = await Promise.all([publishIdleImage(socketPath, registry.host, apps), ReplicaGroup.start(services)]);
    group = started;
    records = await ProductionRecords.open(services, rabbitmq.ctl);
    const runtime = new DockerRuntime({ socketPath });
    await runtime.ensureNetwork(network);
    await runtime.close();
    const { httpUrl, grpcUrl } = group.server(0);
    // Reached by name on their network, because these apps are never called and each published port costs a process.
    const environment = { APPSERVER_CONTAINERS_ENDPOINT: "network", APPSERVER_CONTAINERS_DATABASE_SHARED_SERVER: "true" };
    const options = { socketPath, network, registry: registry.host, httpUrl, grpcUrl, environment };
    for (let n = 0; n < 2; n++) orchestrators.push(new ProductionOrchestrator(services.environment, options));
    for (const orchestrator of orchestrators) orchestrator.start();
    await Promise.all(orchestrators.map((orchestrator) => orchestrator.ready()));
  });
  after(async () => {
    await Promise.all(orchestrators.map((orchestrator) => orchestrator.stop()));
    await group?.stop();
    await records?.stop();
    if (!missing) {
      await engine.tidyUp(services.instance, network);
      await engine.stop();
    }
    for (const server of [registry, rabbitmq, started]) if (!("unavailable" in server)) await server.stop();
  });

  const containers = async (): Promise<readonly AppProcess[]> => {
    const names = await engine.containers(label, false);
    return names.map((name, pid) => ({ pid, appName: name.replace(/^app-/, "") }));
  };

  test(`${count} concurrent installs over both servers create exactly ${count} containers although one orchestrator is killed`, async (t) => {
    await inParallel(apps, async (name, n) => group.register(group.server(n), await idleApp(name)));
    const startedAt = performance.now();
    const elapsed = (): string => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
    let areAcknowledged = false;
    const installing = inParallel(apps, (name, n) => install(group.client(group.server(n)), name)).then(() => {
      areAcknowledged = true;
      t.diagnostic(`${count} installs acknowledged after ${elapsed()}`);
    });
    // Awaited at the end. Until then no code handles the rejection.
    installing.catch(() => {});
    const [victim = assert.fail()] = orchestrators;
    const expected = new Map<string, Expectation>(apps.map((name) => [name, { states: ["RUNNING"], needsProcess: true }]));
    let isKilled = false;
    for (;;) {
      const running = await containers();
      assert.deepEqual(duplicates(running), []);
      assert.ok(running.length <= count, `${running.length} containers`);
      if (!isKilled && running.length >= count / 4) {
        isKilled = true;
        t.diagnostic(`${running.length} containers after ${elapsed()}: one orchestrator is killed, and started again`);
        await victim.kill();
        victim.start();
      }
      const found =
        running.length < count || !areAcknowledged
          ? [`${running.length} containers`]
          : violations({ records: await records.read(), processes: running, publicRoute: new Map() }, expected);
      if (found.length === 0) break;
      assert.ok(performance.now() - startedAt < settleTimeoutMs, found.slice(0, 20).join("\n"));
      await sleep(500);
    }
    await installing;
    t.diagnostic(`${count} containers, and every app RUNNING, after ${elapsed()}`);
    assert.equal((await engine.containers(label, true)).length, count, "no container was created twice and stopped");
    const shares = orchestrators.map(({ log }) => log.split('"to":"HEALTHY"').length - 1);
    t.diagnostic(`apps made healthy per orchestrator: ${shares.join(" and ")}`);
    assert.ok(
      shares.every((share) => share > 0),
      "both orchestrators made apps healthy",
    );
  });
});

async function idleApp(name: string): Promise<TestApp> {
  const api = { base_path: `/api/apps/${name}`, upstream_base_url: `http://app-${name}:3000` };
  return testApp({ name, web_app: { api } }, {}, await quickKeys(name));
}

/** A key type that is created quickly. A hundred of the SDK's RSA keys take a minute. */
async function quickKeys(name: string): Promise<AppKeys> {
  const options = ["-newkey", "ed25519", "-nodes", "-days", "2", "-subj", `/CN=${name}`, "-keyout", "-", "-out", "-"];
  const { stdout } = await promisify(execFile)("openssl", ["req", "-x509", ...options]);
  const certificateAt = stdout.indexOf("-----BEGIN CERTIFICATE-----");
  return { privateKey: createPrivateKey(stdout.slice(0, certificateAt)), certificate: stdout.slice(certificateAt) };
}

/**
 * Repeats the install until it is acknowledged. If the machine pauses for ten seconds, the other server takes over and the
 * result is CONFLICT.
 */
async function install({ marketplace }: PlatformClient, name: string): Promise<void> {
  await until(`${name} is installed`, async () => {
    const { app } = await marketplace.getApp({ name });
    if (app?.state === AppState.INSTALLED || app?.state === AppState.RUNNING) return true;
    await marketplace.installApp({ name });
    return true;
  });
}

/** A few at a time, because the machine is small. */
async function inParallel<T>(items: readonly T[], work: (item: T, index: number) => Promise<unknown>): Promise<void> {
  const waiting = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
