import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { platformMigrations, SqlLeases, SqlOutbox, silentLogger } from "@appserver/kernel";
import { createTestDatabase, FakeClock, startTestPostgres } from "@appserver/testing/kit";
import { LeaseProbeRights } from "../src/adapters/lease-probe-rights.ts";
import { SqlAppStore } from "../src/adapters/sql-app-store.ts";
import { marketplaceMigrations } from "../src/index.ts";
import type { MarketplaceContext } from "../src/use-cases/context.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { ExternalHealthWatch } from "../src/use-cases/watch-external-health.ts";
import { testIdentity, testManifest } from "./fixtures.ts";

const name = "com.example.elsewhere";

describe("health of apps whose backend somebody else runs", async () => {
  const postgres = await startTestPostgres();
  const { database, stop: dropDatabase } = await createTestDatabase(postgres);
  const clock = new FakeClock(Date.now());
  const store = new SqlAppStore(database, new SqlOutbox(), "/appserver/test");
  // The watch reads and writes apps; of the rest of the context registration alone uses the lock.
  const context = {
    store,
    lock: { run: (_name: string, command: () => Promise<unknown>) => command() },
    policy: { platformVersion: "0.1.0", registration: "open", allowUnsigned: true, imageRegistry: "", imageStage: "latest" },
    clock,
    logger: silentLogger,
  } as unknown as MarketplaceContext;
  let isHealthy = true;
  const probes: string[] = [];
  const replica = (holder: string) => {
    const prober = { probe: async () => probes.push(holder) > 0 && isHealthy };
    return new ExternalHealthWatch(context, prober, new LeaseProbeRights(new SqlLeases({ database, holder })));
  };
  const [a, b] = [replica("a"), replica("b")];
  const stateOf = async () => (await store.findByName(name))?.state;
  const later = async (...replicas: ExternalHealthWatch[]) => {
    await clock.advance(10_000);
    for (const watch of replicas) await watch.tick();
  };

  before(async () => {
    await database.migrate([...platformMigrations, ...marketplaceMigrations]);
    const manifest = testManifest(name, await testIdentity(name), {
      webApp: {
        api: {
          basePath: `/api/apps/${name}`,
          upstreamBaseUrl: "http://elsewhere.example:3000",
          healthCheck: { path: "/health", intervalSeconds: 10, unhealthyThreshold: 3 },
          routes: [{ pattern: "/items", methods: ["GET"], scopes: ["items:read"] }],
        },
      },
    });
    await registerApp(context, { manifest, caller: { kind: "system", reason: "test" } });
    await database.query("UPDATE marketplace.apps SET state = 'INSTALLED', row_version = row_version + 1 WHERE name = $1", [
      name,
    ]);
  });
  after(async () => {
    await dropDatabase();
    await postgres.stop();
  });

  test("one replica probes; the first success makes the app RUNNING", async () => {
    await Promise.all([a.tick(), b.tick()]);
    assert.equal(probes.length, 1);
    assert.equal(await stateOf(), "RUNNING");
    await later(b, a);
    assert.equal(new Set(probes).size, 1);
  });

  test("as many failures in a row as the manifest says make it UNHEALTHY, one success RUNNING", async () => {
    isHealthy = false;
    await later(a, b);
    await later(a, b);
    assert.equal(await stateOf(), "RUNNING");
    await later(a, b);
    assert.equal(await stateOf(), "UNHEALTHY");
    isHealthy = true;
    await later(a, b);
    assert.equal(await stateOf(), "RUNNING");
  });

  test("a replica that stops hands over", async () => {
    const [prober] = new Set(probes);
    const [stopping, staying] = prober === "a" ? [a, b] : [b, a];
    await stopping.stop();
    await later(staying);
    assert.notEqual(probes.at(-1), prober);
  });
});
