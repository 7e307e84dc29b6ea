import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { brokerMigrations, PostgresBroker } from "@appserver/broker-postgres";
import { ProcessRuntime } from "@appserver/containers-process";
import type { DeploymentRecord, Deployments } from "@appserver/contracts/deployments";
import { eventBody, systemEventOf } from "@appserver/contracts/events";
import { OutboxRelay, platformMigrations, SqlLeases, SqlOutbox, SystemClock, silentLogger, uuidv7 } from "@appserver/kernel";
import type { ContainerRuntime, DeadLetter, EventEnvelope } from "@appserver/kernel/ports";
import {
  createTestDatabase,
  plainSeal,
  recordsMigrations,
  SqlEventHistory,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
  until,
} from "@appserver/testing/kit";
import type { OrchestrationOptions } from "../src/domain/orchestration-options.ts";
import {
  createDeployments,
  createOrchestration,
  type DesiredApp,
  type Orchestration,
  orchestrationMigrations,
} from "../src/index.ts";
import { desiredApp, options, platform } from "./fixtures.ts";
import { MemoryDigests, MemorySettings } from "./memory-configuration.ts";

export const clock: SystemClock = new SystemClock();
export const name = "com.example.notes";

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

/** Starts the database server for the tests of a file. */
export function usePlatforms(): void {
  before(async () => {
    server = await startTestPostgres();
    folder = mkdtempSync(join(tmpdir(), "appserver-orchestration-"));
    mkdirSync(join(folder, "app"));
    writeApp("1");
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
}

/** Changes the image of the app. */
export function writeApp(label: string, source: string = app): void {
  writeFileSync(join(folder, "app", "app.mjs"), `// ${label}\n${source}`);
}

/** Another engine than processes, and options of the orchestrator that differ. */
type PlatformParts = Partial<OrchestrationOptions> & { readonly runtime?: ContainerRuntime };

function processRuntime(): ProcessRuntime {
  return new ProcessRuntime({
    stateFolder: mkdtempSync(join(folder, "containers-")),
    images: (image) =>
      image.startsWith(`registry.test/${name}:`)
        ? { command: [process.execPath, "app.mjs"], cwd: join(folder, "app"), snapshot: true }
        : undefined,
    stopOnClose: true,
  });
}

/** The platform's real parts, with the list of installed apps set by the test. */
export class Platform {
  readonly installed = new Map<string, DesiredApp>();
  readonly events: EventEnvelope[] = [];
  readonly #test: TestDatabase;
  readonly #stops: (() => Promise<unknown>)[] = [];
  readonly runtime: ContainerRuntime;
  readonly #options: OrchestrationOptions;
  #connected: PostgresBroker | undefined;
  /** If true, the read side of the marketplace is unavailable. */
  isBlind = false;

  constructor(database: TestDatabase, { runtime, ...changes }: PlatformParts) {
    this.#test = database;
    this.runtime = runtime ?? processRuntime();
    this.#options = { ...options, endpoint: "publish", ...changes };
  }

  static async start(parts: PlatformParts = {}): Promise<Platform> {
    const platform = new Platform(await createTestDatabase(server), parts);
    await platform.database.migrate([
      ...platformMigrations,
      ...recordsMigrations,
      ...brokerMigrations,
      ...orchestrationMigrations,
    ]);
    const broker = await platform.#broker();
    const relay = new OutboxRelay({
      database: platform.database,
      broker,
      history: new SqlEventHistory({ database: platform.database, clock, present: systemEventOf }),
      clock,
      logger: silentLogger,
    });
    relay.start();
    platform.#stops.push(() => relay.stop());
    await broker.observe(["deployment.state_changed"], (event) => platform.events.push(event));
    return platform;
  }

  get database(): TestDatabase["database"] {
    return this.#test.database;
  }

  get deployments(): Deployments {
    return createDeployments({ database: this.database, clock });
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.reverse()) await stop();
    await this.runtime.close();
    await this.#test.stop();
  }

  async orchestrator(): Promise<Orchestration> {
    const orchestration = createOrchestration({
      databases: undefined,
      marketplace: {
        retainedImages: async () => new Set<string>(),
        drainState: async () => ({ waiting: 0, exchanges: 0 }),
        holdsRequests: async () => false,
      },
      seal: plainSeal,
      usageHistory: { append: async () => {} },
      settings: new MemorySettings(),
      digests: new MemoryDigests(),
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
      options: this.#options,
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

  async until(
    what: string,
    holds: (deployment: DeploymentRecord | undefined) => boolean,
    timeoutMs?: number,
  ): Promise<DeploymentRecord> {
    let deployment: DeploymentRecord | undefined;
    await until(
      what,
      async () => {
        deployment = await this.deployments.find(desiredApp().id);
        return deployment !== undefined && holds(deployment);
      },
      timeoutMs,
    );
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

export async function withPlatform(work: (platform: Platform) => Promise<void>, parts: PlatformParts = {}): Promise<void> {
  const platform = await Platform.start(parts);
  try {
    await work(platform);
  } finally {
    await platform.stop();
  }
}

export const isHealthy = (deployment: DeploymentRecord | undefined): boolean => deployment?.state === "HEALTHY";
export const fresh: string = "PENDING PULLING CREATING STARTING HEALTHY";

export function quickApp(changes: Partial<DesiredApp> = {}): DesiredApp {
  return desiredApp({
    healthCheck: { path: "/healthz", intervalSeconds: 1, timeoutMs: 1_000, unhealthyThreshold: 3 },
    ...changes,
  });
}
