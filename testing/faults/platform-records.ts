import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PostgresBroker } from "@appserver/broker-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { Database, EventEnvelope, SqlExecutor } from "@appserver/kernel/ports";
import { embeddedConnection, embeddedDatabaseFolder, onDatabase } from "@appserver/testing/kit";

export interface AppRow {
  readonly name: string;
  readonly state: string;
  readonly generation: number;
  readonly version: string;
  /** The newer version that is registered. */
  readonly availableVersion: string | null;
  readonly endpoint: string | null;
  /** The release that it is switching to. */
  readonly target: unknown;
  readonly lastError: unknown;
}

/** The number of version changes of an app that the platform keeps. */
export const keptChanges = 250;

/** One row of `marketplace.version_changes`. */
export interface VersionChangeRow {
  readonly appName: string;
  readonly kind: "install" | "upgrade" | "rollback" | "redeploy" | "revert";
  readonly from: string | null;
  readonly version: string;
  readonly at: Date;
}

/** One row of `marketplace.transitions`. */
export interface TransitionRow {
  readonly appName: string;
  readonly from: string | null;
  readonly to: string;
  readonly at: Date;
}

export interface DeploymentRow {
  readonly id: string;
  readonly appName: string;
  readonly state: string;
  readonly generation: number;
  readonly version: string;
  readonly role: "current" | "next" | "retiring" | null;
  readonly containerName: string;
  readonly endpoint: string | null;
  readonly final: boolean;
  readonly restartCount: number;
}

/** The platform's stored data, read directly from its database. */
export interface PlatformRecords {
  readonly apps: readonly AppRow[];
  /** Oldest first. */
  readonly transitions: readonly TransitionRow[];
  /** Oldest first. */
  readonly versionChanges: readonly VersionChangeRow[];
  readonly deployments: readonly DeploymentRow[];
  /** Every event published since {@link observeEvents}, in the order of publication. */
  readonly events: readonly EventEnvelope[];
  /** Committed events that are not published yet. */
  readonly unpublished: number;
  /** Published events that the platform's own consumers have not processed yet. */
  readonly unconsumed: number;
  readonly deadLetters: number;
  readonly openOperations: number;
  /** Apps that refuse commands because another command, or one whose process was killed, holds their lock. */
  readonly lockedApps: number;
}

/** The facts that only the broker has. */
export type BrokerRecords = Pick<PlatformRecords, "events" | "unconsumed" | "deadLetters">;
type Counts = Pick<PlatformRecords, "unpublished" | "openOperations" | "lockedApps">;

const observerPrefix = "faults.subscriber.";
/** The events that are compared with the stored data. */
export const observedTypes = [
  "app.state_changed",
  "app.installed",
  "app.uninstalled",
  "app.upgraded",
  "app.rolled_back",
  "deployment.state_changed",
  "hook.triggered",
  "activity.executed",
] as const;

/** From now on keeps a copy of every event in separate queues without a consumer. They survive every kill. */
export async function observeEvents(dataDir: string): Promise<void> {
  await withDatabase(dataDir, async (database) => {
    const broker = new PostgresBroker({
      database,
      clock: new SystemClock(),
      logger: silentLogger,
      prefetch: 10,
      maxRetries: 5,
    });
    const consumer = await broker.consume({ prefix: observerPrefix, types: observedTypes }, () =>
      Promise.reject(new Error("observed events are kept, not consumed")),
    );
    await consumer.close();
  });
}

/** Rejects while the database is down. */
export async function readRecords(dataDir: string): Promise<PlatformRecords> {
  return withDatabase(dataDir, (database) => readTables(database, readBrokerTables));
}

/** All tables are read at one moment. Rejects while the database is down. */
export function readTables(
  database: Database,
  readBroker: (tx: SqlExecutor) => Promise<BrokerRecords>,
): Promise<PlatformRecords> {
  return database.transaction(
    async (tx) => {
      const rows = async <Row extends object>(text: string): Promise<readonly Row[]> => (await tx.query<Row>(text)).rows;
      const [counts] = await rows<Counts>(`
        select (select count(*)::int from platform.outbox) as unpublished,
               (select count(*)::int from marketplace.operations where not done) as "openOperations",
               (select count(*)::int from platform.leases
                where name like 'marketplace:%' and expires_at > clock_timestamp()) as "lockedApps"`);
      if (!counts) throw new Error("nothing was counted");
      return {
        apps: await rows<AppRow>(`
          select name, state, generation, version, available_version as "availableVersion", endpoint, target,
                 last_error as "lastError"
          from marketplace.apps order by name`),
        versionChanges: await rows<VersionChangeRow>(`
          select apps.name as "appName", kind, from_version as "from", version_changes.version, at
          from marketplace.version_changes join marketplace.apps on apps.id = app_id order by version_changes.id`),
        transitions: await rows<TransitionRow>(`
          select apps.name as "appName", from_state as "from", to_state as "to", at
          from marketplace.transitions join marketplace.apps on apps.id = app_id order by transitions.id`),
        deployments: await rows<DeploymentRow>(`
          select id, app_name as "appName", state, generation, app_version as version, role,
                 container_name as "containerName", endpoint, final, restart_count as "restartCount"
          from orchestration.deployments order by created_at, id`),
        ...counts,
        ...(await readBroker(tx)),
      };
    },
    { isolation: "repeatable read" },
  );
}

async function readBrokerTables(tx: SqlExecutor): Promise<BrokerRecords> {
  const { rows } = await tx.query<Pick<BrokerRecords, "unconsumed" | "deadLetters">>(`
    select (select count(*)::int from broker.messages where queue not like '${observerPrefix}%') as unconsumed,
           (select count(*)::int from broker.dead_letters) as "deadLetters"`);
  const [counts] = rows;
  if (!counts) throw new Error("nothing was counted");
  return { events: await readEvents(tx), ...counts };
}

/** Returns every event published since {@link observeEvents}. An event that was published twice is there twice. */
export async function readEvents(tx: SqlExecutor): Promise<readonly EventEnvelope[]> {
  const { rows } = await tx.query<{ event: EventEnvelope }>(
    `select event from broker.messages where queue like '${observerPrefix}%' order by id`,
  );
  return rows.map(({ event }) => event);
}

/** Number of the database server's main process. */
export async function postmasterPid(dataDir: string): Promise<number> {
  const text = await readFile(join(await embeddedDatabaseFolder(dataDir), "data/postmaster.pid"), "utf8");
  return Number(text.split("\n")[0]);
}

/** A direct connection to the platform's database. */
export async function withDatabase<T>(dataDir: string, work: (database: Database) => Promise<T>): Promise<T> {
  return onDatabase(await embeddedConnection(dataDir), work);
}
