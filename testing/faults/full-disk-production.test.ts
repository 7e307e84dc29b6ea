import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalManifest } from "@appserver/contracts/manifest";
import { EmbeddedPostgres } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { createPlatformClient, ensureAppKeys, loadManifest, registerApp } from "@appserver/sdk";
import { eventually, scaled } from "@appserver/testing/kit";
import {
  ProductionOrchestrator,
  type ProductionProcess,
  ReplicaGroup,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { Code, ConnectError } from "@connectrpc/connect";
import { ensureDockerEngine } from "../../tools/services/docker-engine.ts";
import { folderOf, prepareSampleApps } from "./faulty-platform.ts";
import { SmallDisk, skipWithoutDisk } from "./full-disk.ts";
import { SettingsWriter } from "./settings-writer.ts";

const fullMs = scaled(25_000, 8_000);
const app = "com.example.notes";

const engine = skipWithoutDisk === false ? await ensureDockerEngine() : { unavailable: skipWithoutDisk };
const skip = skipWithoutDisk !== false ? skipWithoutDisk : "unavailable" in engine ? engine.unavailable : false;

const cases = [
  { what: "their logs and their database", hasData: true, hasLogs: true },
  { what: "only their database", hasData: true, hasLogs: false },
  { what: "only their logs", hasData: false, hasLogs: true },
];

describe("a full disk under serve and orchestrate", { skip }, () => {
  before(prepareSampleApps);
  after(() => "unavailable" in engine || engine.stop());

  for (const { what, hasData, hasLogs } of cases)
    test(`both survive ${fullMs} ms with ${what} on it, and SIGTERM ends them while it is full`, async (t) => {
      if ("unavailable" in engine) return;
      const ends: (() => unknown)[] = [];
      try {
        const disk = await SmallDisk.mount(400);
        ends.push(() => disk.unmount());
        const elsewhere = await mkdtemp(join(tmpdir(), "large-disk-"));
        // As root, the database runs under another account.
        await chmod(elsewhere, 0o755);
        ends.push(() => rm(elsewhere, { recursive: true, maxRetries: 20 }));
        const postgres = new EmbeddedPostgres({
          folder: join(hasData ? disk.folder : elsewhere, "db"),
          clock: new SystemClock(),
          logger: silentLogger,
        });
        ends.push(() => postgres.stop());
        await postgres.start();
        const services = await startProductionServices({ postgres });
        if ("unavailable" in services) return t.skip(services.unavailable);
        ends.push(() => services.stop());
        const logFolder = hasLogs ? disk.folder : elsewhere;
        const logs = { server: join(logFolder, "server.log"), orchestrator: join(logFolder, "orchestrator.log") };
        const group = await ReplicaGroup.start(services, 1, { outputFile: logs.server });
        ends.push(() => group.stop());
        const server = group.server(0);
        const { httpUrl, grpcUrl } = server;
        const { socketPath } = engine;
        const network = `appserver-${services.instance}`;
        const orchestrator = new ProductionOrchestrator(services.environment, {
          ...{ socketPath, network, registry: "127.0.0.1:1", httpUrl, grpcUrl },
          environment: { APPSERVER_CONTAINERS_DATABASE_SHARED_SERVER: "true" },
          outputFile: logs.orchestrator,
        });
        ends.push(() => orchestrator.kill());
        orchestrator.start();
        const processes: readonly ProductionProcess[] = [server, orchestrator];
        await orchestrator.until(() => readFileSync(logs.orchestrator, "utf8").includes("orchestrator: started"));
        const pids = processes.map(({ pid }) => pid);

        const keys = await ensureAppKeys(folderOf(app), app);
        const { manifest } = await loadManifest(folderOf(app), keys);
        // A manifest with its assets needs more space than is free inside the database's files.
        const register = (patch: number) => {
          manifest.version = `1.0.${patch}`;
          const digest = keys.privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
          const signature = new Uint8Array(sign(digest, canonicalManifest(manifest), keys.privateKey));
          return registerApp(createPlatformClient({ grpcUrl }), { manifest, signature }, services.registrationToken);
        };
        const registered = await register(0);
        const client = () => createPlatformClient({ grpcUrl, token: group.adminToken, timeoutMs: 15_000 });
        const writer = new SettingsWriter(client, registered.app?.id ?? "");
        await eventually(() => writer.write());

        const readiness = new Set<number>();
        const refusals = writer.refusals;
        let patch = 0;
        const over = disk.keepFull(fullMs).then(() => true);
        while (!(await Promise.race([over, sleep(50, false)]))) {
          await writer.tryWriting();
          await register(++patch).catch((error: unknown) => refusals.push(ConnectError.from(error).code));
          readiness.add(await ready(httpUrl));
        }
        t.diagnostic(`${writer.acknowledged} writes acknowledged, ${refusals.length} refused; /ready ${[...readiness]}`);
        assert.deepEqual(
          processes.map(({ pid, isRunning }) => isRunning && pid),
          pids,
        );
        assert.deepEqual([...new Set(refusals)], hasData ? [Code.Unavailable] : []);
        if (hasData) assert.ok(readiness.has(503), `/ready: ${[...readiness]}`);
        else assert.deepEqual([...readiness], [200]);
        await eventually(async () => assert.equal(await ready(httpUrl), 200));
        await eventually(() => writer.write());
        assert.equal(await writer.stored(), writer.acknowledged);
        const hasDropped = () => /"dropped":\d+,"reason":"ENOSPC"/.test(readFileSync(logs.server, "utf8"));
        if (hasLogs) await eventually(async () => assert.ok(hasDropped()));
        else assert.equal(hasDropped(), false);

        disk.fill();
        await writer.tryWriting();
        for (const each of processes) assert.equal(await each.stop(), 0);
        disk.free();
      } finally {
        for (const end of ends.reverse()) await end();
      }
    });
});

/** Returns the status of /ready, or 0 without a response. */
async function ready(httpUrl: string): Promise<number> {
  const answer = await fetch(`${httpUrl}/ready`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status ?? 0;
}
