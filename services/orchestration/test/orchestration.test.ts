import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brokerMigrations, PostgresBroker } from "@appserver/broker-postgres";
import { ProcessRuntime } from "@appserver/containers-process";
import { eventBody } from "@appserver/contracts/events";
import { OutboxRelay, platformMigrations, SqlLeases, SqlOutbox, SystemClock, silentLogger, uuidv7 } from "@appserver/kernel";
import type { DeadLetter, EventEnvelope } from "@appserver/kernel/ports";
import { createTestDatabase, startTestPostgres, type TestDatabase, type TestPostgres, until } from "@appserver/testing/kit";
import {
  createDeployments,
  createOrchestration,
  type Deployment,
  type DesiredApp,
  type Orchestration,
  orchestrationMigrations,
} from "../src/index.ts";
import { desiredApp, options, platform } from "./memory-parts.ts";

const clock = new SystemClock();
const name = "com.example.notes";

const app = `
import { createServer } from "node:http";
createServer((request, response) => {
  if (request.url === "/exit") process.exit(3);
  response.statusCode = request.url === "/healthz" ? 204 : 200;
  response.end(JSON.stringify(process.env));
}).listen(Number(process.env.PORT), process.env.HOST);
`;

let server: TestPostgres;
let folder: string;

before(async () => {
  server = await startTestPostgres();
  folder = mkdtempSync(join(tmpdir(), "appserver-orchestration-"));
  writeFileSync(join(folder, "app.mjs"), app);
});

after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The platform's real parts, with the list of installed apps set by the test. */
class Platform {
  readonly installed = new Map<string, DesiredApp>();
  readonly events: EventEnvelope[] = [];
  readonly #test: TestDatabase;
  readonly #stops: (() => Promise<unknown>)[] = [];
  readonly runtime: ProcessRuntime;
  #connected: PostgresBroker | undefined;
  /** If true, the read side of the marketplace is unavailable. */
  isBlind = false;

  constructor(database: TestDatabase) {
    this.#test = database;
    this.runtime = new ProcessRuntime({
      stateFolder: mkdtempSync(join(folder, "containers-")),
      images: (image) =>
        image.startsWith(`registry.test/${name}:`) ? { command: [process.execPath, "app.mjs"], cwd: folder } : undefined,
      stopOnClose: true,
    });
  }

  static async start(): Promise<Platform> {
    const platform = new Platform(await createTestDatabase(server));
    await platform.database.migrate([...platformMigrations, ...brokerMigrations, ...orchestrationMigrations]);
    const broker = await platform.#broker();
    const relay = new OutboxRelay({ database: platform.database, broker, clock, logger: silentLogger });
    relay.start();
    platform.#stops.push(() => relay.stop());
    await broker.observe(["deployment.state_changed"], (event) => platform.events.push(event));
    return platform;
  }

  get database(): TestDatabase["database"] {
    return this.#test.database;
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.reverse()) await stop();
    await this.runtime.close();
    await this.#test.stop();
  }

  async orchestrator(): Promise<Orchestration> {
    const orchestration = createOrchestration({
      database: this.database,
      broker: await this.#broker(),
      outbox: new SqlOutbox(),
      leases: new SqlLeases({ database: this.database, holder: "test" }),
      runtime: this.runtime,
      apps: {
        all: async () => [...this.#readInstalled().values()],
        get: async (appName) => this.#readInstalled().get(appName),
      },
      clock,
      logger: silentLogger,
      options: { ...options, endpoint: "publish", upstreams: "endpoint" },
      queuePrefix: "orchestrator.subscriber.",
      platform: { ...platform, POSTGRES_PASSWORD: "canary" },
    });
    await orchestration.start?.();
    this.#stops.push(async () => orchestration.stop?.());
    return orchestration;
  }

  async announce(type: "app.installed" | "app.uninstalled"): Promise<void> {
    const time = new Date(clock.now()).toISOString();
    const body = { ...eventBody<"app.uninstalled">(desiredApp(), time, { purgeData: false, actor: null }) };
    await this.publish(type, body);
  }

  async publish(type: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const time = new Date(clock.now()).toISOString();
    await (await this.#broker()).publish([{ id: uuidv7(), type, source: "/test", subject: name, time, body }]);
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    return await (await this.#broker()).deadLetters("orchestrator.subscriber.app.installed", 10);
  }

  async until(what: string, holds: (deployment: Deployment | undefined) => boolean): Promise<Deployment> {
    const deployments = createDeployments({ database: this.database, clock });
    let deployment: Deployment | undefined;
    await until(what, async () => {
      deployment = await deployments.getDeployment(desiredApp().id);
      return deployment !== undefined && holds(deployment);
    });
    assert.ok(deployment);
    return deployment;
  }

  /** Waits for these events: one for every committed transition, in order. */
  async untilEvents(states: string): Promise<void> {
    const seen = (): string => this.events.map(({ body }) => body["to"]).join(" ");
    await until(`events ${states}`, async () => seen() === states).catch((error: unknown) => {
      throw new Error(`seen: ${seen()}`, { cause: error });
    });
  }

  #readInstalled(): ReadonlyMap<string, DesiredApp> {
    if (this.isBlind) throw new Error("the marketplace is unavailable");
    return this.installed;
  }

  async #broker(): Promise<PostgresBroker> {
    if (this.#connected) return this.#connected;
    const options = {
      database: this.database,
      clock,
      logger: silentLogger,
      prefetch: 10,
      maxRetries: 5,
      retryDelayMs: () => 10,
      pollMs: 50,
    };
    const broker = new PostgresBroker(options);
    await broker.start();
    this.#stops.push(() => broker.stop());
    this.#connected = broker;
    return broker;
  }
}

async function withPlatform(work: (platform: Platform) => Promise<void>): Promise<void> {
  const platform = await Platform.start();
  try {
    await work(platform);
  } finally {
    await platform.stop();
  }
}

const isHealthy = (deployment: Deployment | undefined): boolean => deployment?.state === "HEALTHY";
const fresh = "PENDING PULLING CREATING STARTING HEALTHY";

function quickApp(changes: Partial<DesiredApp> = {}): DesiredApp {
  return desiredApp({
    healthCheck: { path: "/healthz", intervalSeconds: 1, timeoutMs: 1_000, unhealthyThreshold: 3 },
    ...changes,
  });
}

test("an app.installed event starts the app and emits its transitions; app.uninstalled removes it", async () => {
  await withPlatform(async (platform) => {
    await platform.orchestrator();
    platform.installed.set(name, quickApp());
    await platform.announce("app.installed");
    const { endpoint } = await platform.until("healthy", isHealthy);
    assert.match(endpoint ?? "", /^http:\/\/127\.0\.0\.1:\d+$/);
    const environment = (await (await fetch(`${endpoint}/`)).json()) as Record<string, string>;
    assert.equal(environment["APP_NAME"], name);
    assert.equal(environment["POSTGRES_PASSWORD"], undefined);
    await platform.untilEvents(fresh);
    const last = platform.events.at(-1);
    assert.deepEqual([last?.subject, last?.body["AppName"], last?.body["endpoint"]], [name, name, endpoint]);

    platform.installed.clear();
    await platform.announce("app.uninstalled");
    await platform.until("stopped", (deployment) => deployment?.state === "STOPPED");
    assert.deepEqual(await platform.runtime.list({}), []);
    await platform.untilEvents(`${fresh} STOPPING STOPPED`);
  });
});

test("an event without an app name becomes a dead letter", async () => {
  await withPlatform(async (platform) => {
    await platform.orchestrator();
    await platform.publish("app.installed", { AppID: desiredApp().id });
    await until("a dead letter", async () => (await platform.deadLetters()).length === 1);
    assert.match((await platform.deadLetters())[0]?.error ?? "", /names no app/);
  });
});

test("a forged app.installed starts nothing", async () => {
  await withPlatform(async (platform) => {
    const orchestration = await platform.orchestrator();
    await platform.announce("app.installed");
    await orchestration.reconcileApp(name);
    await clock.sleep(500);
    assert.deepEqual([await orchestration.listDeployments(), await platform.runtime.list({})], [[], []]);
  });
});

test("start-up reconciliation starts installed apps, and an unknown desired state removes nothing", async () => {
  await withPlatform(async (platform) => {
    platform.installed.set(name, quickApp());
    const first = await platform.orchestrator();
    await first.reconciled;
    const { containerId } = await platform.until("healthy", isHealthy);
    await first.stop?.();
    platform.isBlind = true;
    const second = await platform.orchestrator();
    await second.reconcileApp(name);
    await clock.sleep(1_500);
    const [container] = await platform.runtime.list({});
    assert.deepEqual([container?.id, container?.status], [containerId, "running"]);
    platform.isBlind = false;
    platform.installed.clear();
    await platform.until("stopped", (deployment) => deployment?.state === "STOPPED");
  });
});

test("an app that stopped with the platform runs again after the next start, and the restart is not counted", async () => {
  await withPlatform(async (platform) => {
    platform.installed.set(name, quickApp());
    const first = await platform.orchestrator();
    await platform.until("healthy", isHealthy);
    await first.stop?.();
    await platform.runtime.stop(`app-${name}`, 1_000);
    await (await platform.orchestrator()).reconciled;
    const { state, restartCount } = await platform.until("healthy", isHealthy);
    assert.deepEqual([state, restartCount, (await platform.runtime.list({})).length], ["HEALTHY", 0, 1]);
  });
});

test("a removed container is replaced within the health interval, and two orchestrators create only one", async () => {
  await withPlatform(async (platform) => {
    platform.installed.set(name, quickApp());
    await Promise.all([platform.orchestrator(), platform.orchestrator()]);
    const first = await platform.until("healthy", isHealthy);
    await platform.runtime.remove(`app-${name}`);
    const second = await platform.until("fresh and healthy", (now) => isHealthy(now) && now?.id !== first.id);
    assert.equal(second.restartCount, 0);
    assert.equal((await platform.runtime.list({})).length, 1);
    await platform.untilEvents(`${fresh} FAILED ${fresh}`);
  });
});

test("an app that died is detected, recorded with its exit code, and waits for its back-off", async () => {
  await withPlatform(async (platform) => {
    platform.installed.set(name, quickApp());
    await platform.orchestrator();
    const first = await platform.until("healthy", isHealthy);
    await fetch(`${first.endpoint}/exit`).catch(() => {});
    const second = await platform.until("a fresh deployment", (now) => now?.id !== first.id);
    assert.deepEqual([second.state, second.restartCount], ["PENDING", 1]);
    assert.match(second.lastError?.message ?? "", /the app exited with code 3/);
    assert.ok(second.notBefore && second.notBefore.getTime() > clock.now() + 5_000);
  });
});

test("an unknown image is final; a restart request from another process tries again", async () => {
  await withPlatform(async (platform) => {
    platform.installed.set(name, quickApp({ imageStage: "nightly" }));
    await platform.orchestrator();
    const failed = await platform.until("failed", (deployment) => deployment?.final === true);
    assert.equal(failed.lastError?.code, "INVALID_REQUEST");
    platform.installed.set(name, quickApp());
    await createDeployments({ database: platform.database, clock }).restart(name);
    await platform.until("healthy", isHealthy);
    await platform.untilEvents(`PENDING FAILED STOPPING STOPPED ${fresh}`);
  });
});
