import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Client, Pool, PoolConfig } from "pg";
import { logLine } from "../log-line.ts";
import { connectionOf, type Environment, poolDefaults } from "./connection.ts";
import { applyMigrations, MigrationError, readMigrations } from "./migrations.ts";

export { MigrationError } from "./migrations.ts";

export interface DatabaseOptions {
  /** The folder with files `0001_notes.sql`. A relative path begins in the working directory, which is the folder of the app. */
  readonly migrations?: string | URL;
  /** Options of the pool that differ: `{ max: 8 }`. */
  readonly pool?: PoolConfig;
  /** How long to wait for a server that does not accept connections yet. Default 60,000 ms. */
  readonly startTimeoutMs?: number;
  /** Default: that of the process. */
  readonly environment?: Environment;
}

const defaultStartTimeoutMs = 60_000;
const pauseMs = 500;

/**
 * Connects to the database of the app (docs/interface/containers.md#environment) and applies its migrations. Returns a pool of `pg`, of at
 * most 4 connections, which replaces those that it loses: a query on a lost connection rejects, the next one gets a new one.
 *
 * Waits for a server that is starting. Rejects at once for wrong credentials, a wrong variable or a wrong migration.
 */
export async function database(options: DatabaseOptions = {}): Promise<Pool> {
  const { environment = process.env, startTimeoutMs = defaultStartTimeoutMs } = options;
  const pg = await loadDriver();
  const connection = connectionOf(environment);
  const migrations = options.migrations === undefined ? [] : await readMigrations(options.migrations);
  const deadline = performance.now() + startTimeoutMs;
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client(connection);
    // Without a listener a lost connection would end the process.
    client.on("error", () => {});
    try {
      await client.connect();
      await applyMigrations(client, migrations);
      break;
    } catch (error) {
      // A name with several addresses, none of which accepts connections.
      const reason: unknown = error instanceof AggregateError ? error.errors[0] : error;
      if (isFinal(reason, pg.DatabaseError)) throw error;
      const { message } = reason as Error;
      const where = `${connection.host}:${connection.port}`;
      if (performance.now() > deadline)
        throw new Error(`the database at ${where} could not be opened within ${startTimeoutMs / 1_000} s: ${message}`, {
          cause: error,
        });
      if (attempt === 0) logLine("warn", "waiting for the database", { where, reason: message });
    } finally {
      await closed(client);
    }
    await sleep(pauseMs);
  }
  const pool = new pg.Pool({ ...connection, ...poolDefaults, ...options.pool });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

type Driver = typeof import("pg");

/** The driver is a package of the app, so that apps without a database do not need it. */
async function loadDriver(): Promise<Driver["default"]> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    // Some package managers show a package only those that it names.
    const path = createRequire(join(process.cwd(), "package.json")).resolve("pg");
    return ((await import(pathToFileURL(path).href)) as Driver).default;
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new Error("database() needs the package pg: run `npm install pg` in the folder of the app", { cause });
  }
}

function isMissing(error: unknown): boolean {
  return ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes((error as NodeJS.ErrnoException).code ?? "");
}

async function closed(client: Client): Promise<void> {
  await client.end().catch(() => {});
}

/** Classes of errors of a server that later attempts may not get: lost connection, rollback, too few resources, start or stop. */
const transientClasses = ["08", "40", "53", "57"];

/** Whether another attempt would fail as well. Errors of the network have the name of a system call, errors of certificates only a code. */
function isFinal(error: unknown, DatabaseError: typeof import("pg").DatabaseError): boolean {
  if (error instanceof MigrationError) return true;
  const { code, syscall } = error as { readonly code?: string; readonly syscall?: string };
  if (error instanceof DatabaseError) return !transientClasses.includes(code?.slice(0, 2) ?? "");
  return code !== undefined && syscall === undefined;
}
