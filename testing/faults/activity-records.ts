import { PostgresBroker } from "@appserver/broker-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { withDatabase } from "./platform-records.ts";

const prefix = "faults.subscriber.";
const type = "activity.executed";

/** The stored runs and the published events of their ends. */
export interface ActivityRecords {
  /** The number of runs in each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Committed events that are not published yet. */
  readonly unpublished: number;
  /** Attempts over all runs. */
  readonly attempts: number;
}

export interface PublishedEnd {
  readonly eventId: string;
  readonly runId: string;
  readonly status: string;
}

/** From now on keeps a copy of every `activity.executed` in a separate queue without a consumer. */
export async function observeEnds(dataDir: string): Promise<void> {
  await withDatabase(dataDir, async (database) => {
    const broker = new PostgresBroker({
      database,
      clock: new SystemClock(),
      logger: silentLogger,
      prefetch: 10,
      maxRetries: 5,
    });
    const keep = () => Promise.reject(new Error("observed events are kept, not consumed"));
    await (await broker.consume({ prefix, types: [type] }, keep)).close();
  });
}

export async function readActivityRecords(dataDir: string): Promise<ActivityRecords> {
  return withDatabase(dataDir, async (database) => {
    const { rows } = await database.query<{ status: string; count: number; attempts: number }>(
      "select status, count(*) as count, sum(attempt) as attempts from activity.runs group by status",
    );
    const outbox = await database.query<{ count: number }>("select count(*) as count from platform.outbox");
    return {
      statuses: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
      attempts: rows.reduce((sum, { attempts }) => sum + attempts, 0),
      unpublished: outbox.rows[0]?.count ?? 0,
    };
  });
}

export interface StoredRun {
  readonly id: string;
  readonly activity: string;
  readonly status: string;
  readonly attempt: number;
  /** The run has not ended and still waits for something: its time, a worker, or the end of its lease. */
  readonly mayWait: boolean;
}

/** Runs as stored. */
export async function storedRuns(dataDir: string): Promise<readonly StoredRun[]> {
  return withDatabase(dataDir, async (database) => {
    const { rows } = await database.query<StoredRun>(
      `select id, activity, status, attempt,
         status = 'QUEUED' or (status = 'RUNNING' and lease_until > clock_timestamp() - interval '20 s') as "mayWait"
       from activity.runs`,
    );
    return rows;
  });
}

/** Every event published since {@link observeEnds}. An event that was published twice is listed twice. */
export async function publishedEnds(dataDir: string): Promise<readonly PublishedEnd[]> {
  return withDatabase(dataDir, async (database) => {
    const { rows } = await database.query<{ event: { id: string; body: { runId: string; status: string } } }>(
      "select event from broker.messages where queue = $1",
      [prefix + type],
    );
    return rows.map(({ event }) => ({ eventId: event.id, runId: event.body.runId, status: event.body.status }));
  });
}
