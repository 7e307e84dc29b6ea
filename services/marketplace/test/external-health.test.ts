import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { platformMigrations, SqlLeases, SqlOutbox, silentLogger } from "@appserver/kernel";
import {
  callBy,
  createTestDatabase,
  eventually,
  FakeClock,
  recordsMigrations,
  SqlAuditLog,
  startTestPostgres,
} from "@appserver/testing/kit";
import { SqlApiDescriptions } from "../src/adapters/sql-api-descriptions.ts";
import { SqlAppStore } from "../src/adapters/sql-app-store.ts";
import { marketplaceMigrations } from "../src/index.ts";
import type { MarketplaceContext } from "../src/use-cases/context.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { ExternalHealthWatch } from "../src/workers/external-health-watch.ts";
import { liveAppsOn, testIdentity, testManifest } from "./fixtures.ts";

const name = "com.example.elsewhere";

describe("health of apps with an external backend", async () => {
  const postgres = await startTestPostgres();
  const { database, stop: dropDatabase } = await createTestDatabase(postgres);
  const clock = new FakeClock(Date.now());
  const apps = liveAppsOn(database, clock);
  const store = new SqlAppStore({
    database,
    outbox: new SqlOutbox(),
    audit: new SqlAuditLog({ database, clock }),
    source: "/appserver/test",
    participants: [],
    memory: apps,
  });
  const documents: string[] = [];
  // The watch reads and writes apps. The rest of the context is only used by the registration: the lock.
  const context = {
    apps,
    store,
    participants: [],
    lock: { run: (_name: string, command: () => Promise<unknown>) => command() },
    policy: {
      platformVersion: "0.1.0",
      registration: "open",
      allowUnsigned: true,
      imageRegistry: "",
      imageStage: "latest",
      requiresImageDigest: false,
      keepVersions: 5,
      listsAllApps: true,
      drainTimeoutMs: 30_000,
    },
    documents: {
      read: async ({ url }: { readonly url: string }) => {
        documents.push(url);
        throw new Error(`GET ${url} returned 404; expected 200`);
      },
    },
    descriptions: new SqlApiDescriptions(database),
    clock,
    logger: silentLogger,
  } as unknown as MarketplaceContext;
  let isHealthy = true;
  const hanging = Promise.withResolvers<void>();
  const probes: string[] = [];
  const urls: string[] = [];
  /** Called during each probe. */
  let onProbe = async (_url: string): Promise<void> => {};
  const replica = (holder: string) => {
    const prober = {
      probe: async (url: string) => {
        probes.push(holder);
        urls.push(url);
        if (url.includes("hanging")) await hanging.promise;
        await onProbe(url);
        return isHealthy ? undefined : `GET ${url}: connection refused`;
      },
    };
    return new ExternalHealthWatch(context, prober, new SqlLeases({ database, holder }));
  };
  const [a, b] = [replica("a"), replica("b")];
  const stateOf = async () => (await store.findByName(name))?.state;
  const later = async (...replicas: ExternalHealthWatch[]) => {
    await clock.advance(10_000);
    for (const watch of replicas) await probed(watch);
  };
  const probed = async (watch: ExternalHealthWatch) => {
    await watch.tick();
    await watch.settled();
  };
  const moveTo = async (app: string, state: string) => {
    await database.query(
      `update marketplace.apps set state = $2, row_version = row_version + 1, last_error = null,
       generation = generation + case when $2 = 'INSTALLED' then 1 else 0 end where name = $1`,
      [app, state],
    );
    await apps.refresh(app);
  };
  const registered = async (app: string, upstreamBaseUrl: string, openapiUrl?: string) => {
    const manifest = testManifest(app, await testIdentity(app), {
      webApp: {
        api: {
          basePath: `/api/apps/${app}`,
          upstreamBaseUrl,
          ...(openapiUrl === undefined ? {} : { openapiUrl }),
          healthCheck: { path: "/health", intervalSeconds: 10, unhealthyThreshold: 3 },
          routes: [{ pattern: "/items", methods: ["GET"], scopes: ["items:read"] }],
        },
      },
    });
    await registerApp(context, { manifest }, callBy({ kind: "system", reason: "test" }));
    await moveTo(app, "INSTALLED");
  };

  before(async () => {
    await database.migrate([...platformMigrations, ...recordsMigrations, ...marketplaceMigrations]);
    await registered(name, "http://elsewhere.example:3000");
  });
  after(async () => {
    await dropDatabase();
    await postgres.stop();
  });

  test("one replica probes; the first success makes the app RUNNING", async () => {
    await Promise.all([probed(a), probed(b)]);
    assert.equal(probes.length, 1);
    assert.equal(await stateOf(), "RUNNING");
    await later(b, a);
    assert.equal(new Set(probes).size, 1);
  });

  test("a disabled app is not probed; once it is enabled, a success restores its health", async () => {
    const healthOf = async () => (await store.findByName(name))?.health;
    const enable = async (enabled: boolean) => {
      await database.query(
        "update marketplace.apps set enabled = $2, health = 'UNKNOWN', row_version = row_version + 1 where name = $1",
        [name, enabled],
      );
      await apps.refresh(name);
    };
    await enable(false);
    const before = probes.length;
    await later(a, b);
    assert.deepEqual([probes.length, await healthOf(), await stateOf()], [before, "UNKNOWN", "RUNNING"]);
    await enable(true);
    await probed(a);
    assert.deepEqual([await healthOf(), await stateOf()], ["HEALTHY", "RUNNING"]);
  });

  test("the declared number of failures in a row makes it UNHEALTHY, one success makes it RUNNING", async () => {
    isHealthy = false;
    await later(a, b);
    await later(a, b);
    assert.equal(await stateOf(), "RUNNING");
    await later(a, b);
    assert.equal(await stateOf(), "UNHEALTHY");
    const { lastError } = (await store.findByName(name)) ?? {};
    assert.match(lastError?.message ?? "", /^3 health checks failed in a row; the last one: GET .*: connection refused$/);
    isHealthy = true;
    await later(a, b);
    assert.equal(await stateOf(), "RUNNING");
  });

  test("its document is read each time it becomes RUNNING, and stops nothing if it is missing", async () => {
    const described = "com.example.documented";
    await registered(described, "http://documented.example:3000/base", "/openapi.json");
    const states: unknown[] = [];
    for (const healthy of [true, false, false, false, true]) {
      isHealthy = healthy;
      await later(a);
      states.push((await store.findByName(described))?.state);
    }
    assert.deepEqual(states, ["RUNNING", "RUNNING", "RUNNING", "UNHEALTHY", "RUNNING"]);
    assert.deepEqual(documents, Array(2).fill("http://documented.example:3000/base/openapi.json"));
  });

  test("a replica that stops releases the right to another", async () => {
    const [prober] = new Set(probes);
    const [stopping, staying] = prober === "a" ? [a, b] : [b, a];
    await stopping.stop();
    await later(staying);
    assert.notEqual(probes.at(-1), prober);
  });

  test("an app whose backend was never healthy has an error, and is RUNNING soon after the backend is healthy", async () => {
    const slow = "com.example.slow";
    isHealthy = false;
    await registered(slow, "http://slow.example:3000");
    await probed(a);
    await probed(b);
    const waiting = await store.findByName(slow);
    assert.deepEqual([waiting?.state, waiting?.health], ["INSTALLED", "UNHEALTHY"]);
    assert.equal(waiting?.lastError?.message, "GET http://slow.example:3000/health: connection refused");
    isHealthy = true;
    await clock.advance(1_000);
    for (const watch of [a, b]) await probed(watch);
    assert.equal((await store.findByName(slow))?.state, "RUNNING");
  });

  test("a reinstalled app is probed at once, whether or not the watch saw the uninstallation", async () => {
    const again = "com.example.again";
    await registered(again, "http://again.example:3000");
    await probed(a);
    for (const isSeen of [true, false]) {
      await moveTo(again, "UNINSTALLED");
      if (isSeen) await probed(a);
      await moveTo(again, "INSTALLED");
      await probed(isSeen ? b : a);
      if (!isSeen) await probed(b);
      assert.equal((await store.findByName(again))?.state, "RUNNING", `seen: ${isSeen}`);
    }
  });

  test("a backend that does not respond does not delay the probes of other apps", async () => {
    await registered("com.example.stuck", "http://hanging.example:3000");
    await a.tick();
    await b.tick();
    const before = probes.length;
    for (let round = 0; round < 3; round += 1) {
      await clock.advance(10_000);
      await Promise.all([a.tick(), b.tick()]);
      // Each round probes the two other apps.
      await eventually(
        () => probes.length - before,
        (count) => count >= 2 * (round + 1),
      );
    }
    hanging.resolve();
    await a.settled();
    await b.settled();
  });

  test("a probe that ends during a command changes nothing", async () => {
    const leaving = "com.example.leaving";
    await registered(leaving, "http://leaving.example:3000");
    for (const state of ["INSTALLING", "UNINSTALLING"]) {
      await moveTo(leaving, "INSTALLED");
      await database.query("update marketplace.apps set health = 'UNKNOWN' where name = $1", [leaving]);
      onProbe = async (url) => {
        if (url.includes("leaving")) await moveTo(leaving, state);
      };
      await later(a);
      await later(b);
      onProbe = async () => {};
      assert.deepEqual((await store.findByName(leaving))?.health, "UNKNOWN", state);
    }
  });
});
