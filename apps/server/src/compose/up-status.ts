import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@appserver/kernel";
import type { ContainerRuntime } from "@appserver/kernel/ports";
import { openDriver } from "../config/drivers/driver-catalogue.ts";
import { endsTls, httpPortOf, registryAddressOf, type UpConfig } from "../config/up-config.ts";
import { usesAcme } from "../config/up-schema.ts";
import { lockDataFolder } from "../data-folder/data-folder.ts";
import { platformVersion } from "../version.ts";

const patienceMs = 3_000;

/** Returns what runs on a data folder, where, and with which versions, as lines of text. Starts and changes nothing. */
export async function showUp(config: UpConfig): Promise<string> {
  const { up, server, drivers } = config;
  const rows: readonly (readonly [string, string])[] = [
    ["platform", `${platformVersion} on Node ${process.versions.node}, ${await stateOf(config)}`],
    ["public URL", `${server.publicUrl} (port ${httpPortOf(config)}, ${tlsOf(config)})`],
    ["internal", `127.0.0.1:${up.internalPort} (HTTP), 127.0.0.1:${server.grpcPort} (gRPC)`],
    ["data folder", up.dataDir],
    ["database", await databaseOf(config)],
    [
      "databases of apps",
      config.containers.databaseAdminUrl === undefined ? await embedded(config, "postgres-apps") : "external",
    ],
    ["apps run in", await runtimeOf(config)],
    ["images", config.containers.registryUrl ?? `own registry, for the engine at ${registryAddressOf(config)}`],
    ...(["authorization", "broker", "cache", "identity"] as const).map((family) => [family, drivers[family].choice] as const),
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, value]) => `${name.padEnd(width)}${value}\n`).join("");
}

/** Asks the process on the data folder, if there is one. */
async function stateOf({ up }: UpConfig): Promise<string> {
  const holder = holderOf(up.dataDir);
  if (holder === undefined) return "not running";
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetch(`http://127.0.0.1:${up.internalPort}/ready`, { signal });
    const { status } = (await response.json()) as { readonly status?: string };
    return `process ${holder}, ${status ?? `/ready is ${response.status}`}`;
  } catch {
    return `process ${holder}, starting`;
  }
}

function holderOf(dataDir: string): number | undefined {
  try {
    const lock = lockDataFolder(dataDir);
    if ("heldBy" in lock) return lock.heldBy.pid;
    lock.release();
  } catch {
    // There is no folder yet, or this user may not read it.
  }
  return undefined;
}

function tlsOf(config: UpConfig): string {
  if (usesAcme(config)) return `certificate by ACME from ${new URL(config.acme.directoryUrl).host}`;
  return endsTls(config) ? `certificate ${config.server.tlsCertFile?.path}` : "no TLS in this process";
}

async function databaseOf(config: UpConfig): Promise<string> {
  const { databaseDriver, database } = config;
  return databaseDriver.driver === "embedded" ? embedded(config, "postgres") : `${database.host}:${database.port}`;
}

async function embedded({ up }: UpConfig, folder: string): Promise<string> {
  const version = await readFile(join(up.dataDir, folder, "data", "PG_VERSION"), "utf8").catch(() => "");
  return version === "" ? "embedded, not created yet" : `embedded PostgreSQL ${version.trim()}`;
}

/** Rejects if the engine does not respond. */
async function usingRuntime(runtime: ContainerRuntime): Promise<void> {
  try {
    await runtime.ping();
  } finally {
    await runtime.close();
  }
}

async function runtimeOf({ drivers }: UpConfig): Promise<string> {
  const { driver, options, choice } = drivers.containers;
  if (choice === "process") return "processes of this machine, without isolation";
  try {
    await usingRuntime(await openDriver(drivers.containers, { pullPolicy: "always" }));
    return `containers of ${driver.name} (${String(options["socketPath"])})`;
  } catch (error) {
    return `containers of ${driver.name}: ${messageOf(error)}`;
  }
}
