import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import { ensureAppKeys, loadManifest, type PlatformClient } from "@appserver/sdk";
import {
  approvePermissions,
  eventually,
  type GraphqlAnswer,
  type PlatformOptions,
  RunningPlatform,
} from "@appserver/testing/kit";
import { type AppserverProcess, launcher } from "../kit/appserver-process.ts";
import { appProcesses } from "./app-processes.ts";
import { duplicates, type Expectation, type Observation, violations } from "./invariants.ts";
import type { KillablePlatform } from "./killed-commands.ts";
import { type AppRow, observeEvents, readRecords } from "./platform-records.ts";

/** The sample apps in the order of registration. Each has a public `/ping` and needs a process. */
export const sampleApps = ["com.example.notes", "com.example.clock"] as const;
export type SampleApp = (typeof sampleApps)[number];

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
  /** The versions by the contents of the file. */
  readonly versions: ReadonlyMap<string, string>;
}

/** `appserver dev` as users start it, with a log for the analysis of a failed test. */
export async function createAppserver({ environment, ...options }: PlatformOptions = {}): Promise<RunningPlatform> {
  const platform = await RunningPlatform.create({
    program: launcher,
    // Without a python3 the app in Python is left out, whose packages may be there or not.
    environment: { APPSERVER_LOG_LEVEL: "debug", PATH: "", ...environment },
    ...options,
  });
  // Here the account of the database reaches it, so that the database is in the same place as the other data.
  await mkdir(platform.dataDir, { recursive: true, mode: 0o755 });
  return platform;
}

/** Kills what still runs, and removes the data. */
export async function removeAppserver(platform: RunningPlatform): Promise<void> {
  await platform.process.stop();
  for (const { pid } of appProcesses(platform.dataDir)) process.kill(pid, "SIGKILL");
  await platform.stop();
}

export interface FaultyPlatformOptions extends Pick<PlatformOptions, "parent" | "environment"> {
  /** Another folder for the log, linked from the data folder. */
  readonly logFolder?: string | undefined;
}

/** A real platform with the sample apps registered, which tests kill. */
export class FaultyPlatform implements KillablePlatform {
  readonly server: RunningPlatform;
  /** The pages to observe, by the app's name. */
  readonly pages = new Map<string, ObservedPage>();

  private constructor(server: RunningPlatform) {
    this.server = server;
  }

  static async create({ logFolder, ...options }: FaultyPlatformOptions = {}): Promise<FaultyPlatform> {
    const server = await createAppserver({ flags: ["--no-examples"], ...options });
    const platform = new FaultyPlatform(server);
    try {
      if (logFolder !== undefined) await symlink(join(logFolder, "server.log"), join(server.dataDir, "server.log"));
      await platform.restart();
      // Before the first transition, because the checker must see every event.
      await observeEvents(server.dataDir);
      for (const app of sampleApps) {
        await server.register(await loadManifest(folderOf(app), await ensureAppKeys(folderOf(app), app)));
        await approvePermissions(server, app);
      }
    } catch (error) {
      await platform.remove();
      throw error;
    }
    return platform;
  }

  get dataDir(): string {
    return this.server.dataDir;
  }

  get watched(): AppserverProcess {
    return this.server.process;
  }

  graphql(query: string, variables?: object): Promise<GraphqlAnswer> {
    return this.server.graphql(query, variables);
  }

  client(): PlatformClient {
    return this.server.client();
  }

  async restart(): Promise<void> {
    this.watched.start();
    await this.server.ready();
  }

  async apps(): Promise<readonly AppRow[]> {
    return (await readRecords(this.dataDir)).apps;
  }

  async settled(expected: ReadonlyMap<string, Expectation>, signal?: AbortSignal): Promise<void> {
    await untilNothingFound(() => this.#found(expected), signal);
  }

  /** Returns the violations. Rejects if an app runs twice. */
  async #found(expected: ReadonlyMap<string, Expectation>): Promise<readonly string[]> {
    const processes = appProcesses(this.dataDir);
    const tooMany = duplicates(processes, expected);
    if (tooMany.length > 0) throw new Error(`${this.dataDir}: ${tooMany.join("; ")}`);
    const seen = await this.#observe().catch(String);
    return typeof seen === "string" ? [`the database cannot be read: ${seen}`] : violations(seen, expected);
  }

  async #observe(): Promise<Observation> {
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
      const version = versions.get((await answer?.text()) ?? "");
      served.set(app, version ?? `no version (${answer?.status})`);
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
    await removeAppserver(this.server);
  }
}

/** A lease of a killed process blocks others for 10 s. The blocked work then takes a few more seconds. */
const settleTimeoutMs = 60_000;

/**
 * Repeats the look until it finds no violation. Rejects with the last violations, or at once if the look rejects or the signal
 * aborts.
 */
export async function untilNothingFound(look: () => Promise<readonly string[]>, signal?: AbortSignal): Promise<void> {
  const found = (): Promise<readonly string[]> => {
    signal?.throwIfAborted();
    return look();
  };
  const options = { timeoutMs: settleTimeoutMs, intervalMs: 150, what: "every invariant holds" };
  await eventually(found, ({ length }) => length === 0, options);
}
