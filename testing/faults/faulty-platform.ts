import { createHash } from "node:crypto";
import { chmod, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildFrontend } from "@appserver/frontends";
import {
  approvePermissions,
  createPlatformClient,
  ensureAppKeys,
  loadManifest,
  type PlatformClient,
  registerApp,
} from "@appserver/sdk";
import { appProcesses } from "./app-processes.ts";
import { duplicates, type Expectation, type Observation, violations } from "./invariants.ts";
import { type AppRow, databaseFolder, observeEvents, readRecords } from "./platform-records.ts";
import { quietPort, ServerProcess } from "./server-process.ts";

/** The sample apps in the order of registration. Each has a public `/ping` and needs a process. */
export const sampleApps = ["com.example.notes", "com.example.clock"] as const;
export type SampleApp = (typeof sampleApps)[number];

/** A lease of a killed process blocks others for 10 s. The blocked work then takes a few more seconds. */
const settleTimeoutMs = 60_000;
const lookEveryMs = 150;
const logName = "server.log";

export function folderOf(app: SampleApp): string {
  return join(import.meta.dirname, "../../examples", app.replace("com.example.", ""));
}

/** Creates keys and builds frontends once, before a platform registers the apps. */
export async function prepareSampleApps(): Promise<void> {
  for (const app of sampleApps) {
    await ensureAppKeys(folderOf(app), app);
    await buildFrontend(folderOf(app));
  }
}

/** A file of an app's page, which is different in each version. */
export interface ObservedPage {
  /** `/apps/com.example.notes/remoteEntry.js` */
  readonly path: string;
  /** The versions by the SHA-256 digest of the file. */
  readonly versions: ReadonlyMap<string, string>;
}

export function sha256(contents: Uint8Array): string {
  return createHash("sha256").update(contents).digest("hex");
}

export interface FaultyPlatformOptions {
  /** The parent of its data folder. */
  readonly parent?: string | undefined;
  /** Another folder for the log, linked from the data folder. */
  readonly logFolder?: string | undefined;
  /** Further variables of its process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A real platform with the sample apps registered, which tests kill. */
export class FaultyPlatform {
  readonly dataDir: string;
  readonly server: ServerProcess;
  /** The counts of the last check. */
  readonly figures = { transitions: 0, events: 0, deployments: 0 };
  /** The pages to observe, by the app's name. */
  readonly pages = new Map<string, ObservedPage>();

  private constructor(dataDir: string, server: ServerProcess) {
    this.dataDir = dataDir;
    this.server = server;
  }

  static async create({ parent, logFolder, environment = {} }: FaultyPlatformOptions = {}): Promise<FaultyPlatform> {
    const dataDir = await makeDataDir(parent);
    if (logFolder !== undefined) await symlink(join(logFolder, logName), join(dataDir, logName));
    const ports = { httpPort: await quietPort(), grpcPort: await quietPort() };
    const server = new ServerProcess({ dataDir, ...ports, environment });
    const platform = new FaultyPlatform(dataDir, server);
    try {
      await platform.restart();
      // Before the first transition, because the checker must see every event.
      await observeEvents(dataDir);
      for (const app of sampleApps) {
        await registerApp(platform.client(), await loadManifest(folderOf(app), await ensureAppKeys(folderOf(app), app)));
        await approvePermissions(platform.client(), app);
      }
    } catch (error) {
      await platform.remove();
      throw error;
    }
    return platform;
  }

  /** Creates a new client for each use, because a killed server leaves dead connections that look open. */
  client(): PlatformClient {
    return createPlatformClient({ grpcUrl: this.server.grpcUrl });
  }

  get logFile(): string {
    return join(this.dataDir, logName);
  }

  get watched(): ServerProcess {
    return this.server;
  }

  start(): void {
    this.server.start();
  }

  async restart(): Promise<void> {
    this.start();
    await this.server.ready();
  }

  async apps(): Promise<readonly AppRow[]> {
    return (await readRecords(this.dataDir)).apps;
  }

  /**
   * Resolves with the apps' states once every invariant holds. Rejects with the violations if they do not hold in time, or at
   * once if an app runs twice, or if the signal aborts.
   */
  async settled(expected: ReadonlyMap<string, Expectation>, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    let last: ReadonlyMap<string, string> = new Map();
    const look = async (): Promise<readonly string[]> => {
      this.checkDuplicates(expected);
      const { found, states } = await this.#check(expected);
      last = states;
      return found;
    };
    await untilNothingFound(this.dataDir, look, signal);
    return last;
  }

  checkDuplicates(expected?: ReadonlyMap<string, Expectation>): void {
    const found = duplicates(appProcesses(this.dataDir), expected);
    if (found.length > 0) throw new Error(`${this.dataDir}: ${found.join("; ")}`);
  }

  async observe(): Promise<Observation> {
    const routes = await Promise.all(sampleApps.map(async (app) => [app, await this.publicRoute(app)] as const));
    return {
      records: await readRecords(this.dataDir),
      processes: appProcesses(this.dataDir),
      publicRoute: new Map(routes),
      pages: await this.#servedPages(),
    };
  }

  async #servedPages(): Promise<ReadonlyMap<string, string>> {
    const served = new Map<string, string>();
    for (const [app, { path, versions }] of this.pages) {
      const answer = await fetch(`${this.server.httpUrl}${path}`).catch(() => undefined);
      const contents = new Uint8Array((await answer?.arrayBuffer()) ?? []);
      served.set(app, versions.get(sha256(contents)) ?? `no version (${answer?.status})`);
    }
    return served;
  }

  /** Returns the status of the app's public route, or 0 without a response. */
  async publicRoute(app: SampleApp): Promise<number> {
    const answer = await fetch(`${this.server.httpUrl}/api/apps/${app}/ping`).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.status ?? 0;
  }

  /** Stops all processes and deletes the data. */
  async remove(): Promise<void> {
    await this.server.stop();
    for (const { pid } of appProcesses(this.dataDir)) process.kill(pid, "SIGKILL");
    const database = await databaseFolder(this.dataDir);
    for (const folder of [database, this.dataDir]) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  }

  async #check(expected: ReadonlyMap<string, Expectation>): Promise<Finding> {
    let seen: Observation;
    try {
      seen = await this.observe();
    } catch (error) {
      return { found: [`the database cannot be read: ${String(error)}`], states: new Map() };
    }
    const { apps, transitions, events, deployments } = seen.records;
    Object.assign(this.figures, {
      transitions: transitions.length,
      events: events.length,
      deployments: deployments.length,
    });
    return { found: violations(seen, expected), states: new Map(apps.map(({ name, state }) => [name, state])) };
  }
}

/** Repeats the look until it finds no violation. Rejects with the last violations, or if the signal aborts. */
export async function untilNothingFound(
  where: string,
  look: () => Promise<readonly string[]>,
  signal?: AbortSignal,
): Promise<void> {
  for (const deadline = performance.now() + settleTimeoutMs; ; await sleep(lookEveryMs, undefined, { signal })) {
    const found = await look();
    if (found.length === 0) return;
    if (performance.now() > deadline) throw new Error(`${where}:\n  ${found.join("\n  ")}`);
  }
}

/** As root, the database runs under another account, which must reach the folder. */
export async function makeDataDir(parent: string = tmpdir()): Promise<string> {
  const dataDir = await realpath(await mkdtemp(join(parent, "appserver-faults-")));
  await chmod(dataDir, 0o755);
  return dataDir;
}

interface Finding {
  readonly found: readonly string[];
  readonly states: ReadonlyMap<string, string>;
}
