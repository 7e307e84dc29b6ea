import assert from "node:assert/strict";
import type { SqlExecutor } from "@appserver/kernel/ports";
import { createPlatformClient, type PlatformClient, triggerHook } from "@appserver/sdk";
import { embeddedConnection, eventually, onDatabase, untilStatus } from "@appserver/testing/kit";
import type { EmbeddedServer } from "../kit/platform-database.ts";
import { countedHook, countingApp } from "./counting-app.ts";
import type { UpPlatform } from "./up-platform.ts";

const servers = ["postgres", "postgres-apps"] as const;
/** Connections to each server, and loops that trigger hooks. */
const writers = 4;
const setting = "count";
/** Of each loop, before a backup may begin. */
const leastWrites = 50;

/** What was acknowledged at a moment. */
export interface Acknowledged {
  /** Monotonic, in ms. */
  readonly at: number;
  /** The last number of each writer on a server. */
  readonly rows: Readonly<Record<EmbeddedServer, readonly number[]>>;
  /** Events of hooks. */
  readonly events: readonly string[];
  readonly setting: number;
  /** The last number of the app, which is in its database and in its storage. */
  readonly app: number;
}

/** Writes into both database servers, into the platform through its API, and with an app into its database and its storage. */
export class BackupLoad {
  readonly #platform: UpPlatform;
  readonly #client: PlatformClient;
  readonly #appId: string;
  readonly #rows: Record<EmbeddedServer, number[]> = { postgres: zeros(), "postgres-apps": zeros() };
  readonly #events: string[] = [];
  readonly #loops: Promise<unknown>;
  #setting = 0;
  #running = true;

  private constructor(platform: UpPlatform, token: string, appId: string) {
    this.#platform = platform;
    this.#client = createPlatformClient({ grpcUrl: platform.httpUrl, token });
    this.#appId = appId;
    this.#loops = Promise.all([
      ...servers.flatMap((server) => zeros().map((_, writer) => this.#insert(server, writer))),
      ...zeros().map(() => this.#repeat(() => this.#trigger())),
      this.#repeat(() => this.#set()),
    ]);
    // It is awaited when the load ends.
    this.#loops.catch(() => {});
  }

  /** Resolves when every loop writes. */
  static async start(platform: UpPlatform, token: string, appId: string): Promise<BackupLoad> {
    for (const server of servers)
      await onDatabase(await embeddedConnection(platform.dataDir, server), (sql) =>
        sql.query("create table public.written (writer int, number int, filler text, primary key (writer, number))"),
      );
    const load = new BackupLoad(platform, token, appId);
    const least = () => Math.min(...Object.values(load.#rows).flat(), load.#events.length, load.#setting);
    await eventually(least, (number) => number >= leastWrites);
    return load;
  }

  async acknowledged(): Promise<Acknowledged> {
    const { postgres, "postgres-apps": ofApps } = this.#rows;
    const rows = { postgres: [...postgres], "postgres-apps": [...ofApps] };
    const [events, number, at] = [[...this.#events], this.#setting, performance.now()];
    const { text } = await untilStatus(this.#platform.httpUrl, `/api/apps/${countingApp}/now`, 200);
    return { at, rows, events, setting: number, app: Number(text) };
  }

  /** Rejects if a write was refused. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#loops;
  }

  async #insert(server: EmbeddedServer, writer: number): Promise<void> {
    await onDatabase(await embeddedConnection(this.#platform.dataDir, server), (sql) =>
      this.#repeat(async () => {
        const next = (this.#rows[server][writer] ?? 0) + 1;
        await sql.query("insert into public.written values ($1, $2, repeat('x', 500))", [writer, next]);
        this.#rows[server][writer] = next;
      }),
    );
  }

  async #trigger(): Promise<void> {
    const { eventId } = await triggerHook(this.#client, countedHook, { filler: "x".repeat(500) });
    this.#events.push(eventId);
  }

  async #set(): Promise<void> {
    const next = this.#setting + 1;
    await this.#client.settings.updateSettings({ appId: this.#appId, values: { [setting]: next } });
    this.#setting = next;
  }

  async #repeat(write: () => Promise<void>): Promise<void> {
    while (this.#running) await write();
  }
}

/** Returns the acknowledged writes a second between two moments, in all and by what was written to. */
export function rateOf(from: Acknowledged, to: Acknowledged): { readonly all: number; readonly text: string } {
  const seconds = (to.at - from.at) / 1_000;
  const rowsOf = (server: EmbeddedServer): number => sum(to.rows[server]) - sum(from.rows[server]);
  const counts = {
    "rows of the platform's server": rowsOf("postgres"),
    "rows of the apps' server": rowsOf("postgres-apps"),
    "events of hooks": to.events.length - from.events.length,
    settings: to.setting - from.setting,
    "of an app with a database and storage": to.app - from.app,
  };
  const all = sum(Object.values(counts)) / seconds;
  const parts = Object.entries(counts).map(([what, count]) => `${what} ${Math.round(count / seconds)}`);
  return { all, text: `${Math.round(all)} writes a second for ${seconds.toFixed(1)} s: ${parts.join(", ")}` };
}

/** Requires that everything that was acknowledged is in the platform, and no row without the earlier ones of its writer. */
export async function requireAcknowledged(platform: UpPlatform, token: string, appId: string, before: Acknowledged) {
  for (const server of servers) {
    const written = await onDatabase(await embeddedConnection(platform.dataDir, server), lastOfWriters);
    for (const [writer, least] of before.rows[server].entries()) {
      const { count, last } = written.get(writer) ?? { count: 0, last: 0 };
      assert.equal(count, last, `${server}: no write without the earlier ones`);
      assert.ok(last >= least, `${server}: ${last} ≥ ${least}`);
    }
  }
  const stored = await onDatabase(await embeddedConnection(platform.dataDir), (sql) =>
    sql.query("select 1 from hooks.events where id = any ($1::uuid[])", [before.events]),
  );
  assert.equal(stored.count, before.events.length, "every event of a hook");
  const { settings } = await createPlatformClient({ grpcUrl: platform.httpUrl, token }).settings.getSettings({ appId });
  assert.ok(Number(settings?.values?.[setting]) >= before.setting, `the setting is at least ${before.setting}`);
  const { text } = await untilStatus(platform.httpUrl, `/api/apps/${countingApp}/`, 200);
  const { database, storage } = JSON.parse(text) as Readonly<Record<"database" | "storage", number>>;
  assert.ok(database >= before.app && storage >= before.app, `the app has ${text} of ${before.app}`);
}

interface Written {
  readonly writer: number;
  readonly count: number;
  readonly last: number;
}

async function lastOfWriters(sql: SqlExecutor): Promise<ReadonlyMap<number, Written>> {
  const { rows } = await sql.query<Written & Record<string, unknown>>(
    "select writer, count(*)::int as count, max(number) as last from public.written group by writer",
  );
  return new Map(rows.map((row) => [row.writer, row]));
}

function zeros(): number[] {
  return Array.from({ length: writers }, () => 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
