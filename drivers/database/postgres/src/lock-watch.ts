import { type Clock, every, type Logger } from "@appserver/kernel";
import type pg from "pg";

export interface LockWatchOptions {
  /** Opens another connection of the administrator, which {@link withoutBlockers} ends. */
  readonly connect: () => Promise<pg.Client>;
  /** Sessions in this database only are ended. */
  readonly database: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An administration that takes longer is looked at. Most take a tenth. */
const lookEveryMs = 500;

/** Blockers whose transaction is younger may still end by themselves. */
const timeoutMs = 400;

/**
 * Runs `work`, and during it ends the sessions in the database that keep a session of the administrator waiting. The waiting
 * statement stays first in line, so that an app that locks again at once does not keep it out.
 */
export async function withoutBlockers<T>(options: LockWatchOptions, work: () => Promise<T>): Promise<T> {
  const { connect, database, clock, logger } = options;
  const over = new AbortController();
  let client: pg.Client | undefined;
  const watching = every({
    clock,
    signal: over.signal,
    intervalMs: lookEveryMs,
    first: "after a pause",
    run: async () => {
      client ??= await connect();
      const { rowCount } = await client.query(
        `select pg_terminate_backend(blocker.pid)
         from pg_stat_activity waiting, unnest(pg_blocking_pids(waiting.pid)) as blocking, pg_stat_activity blocker
         where waiting.usename = current_user and waiting.wait_event_type = 'Lock' and blocker.pid = blocking
           and blocker.datname = $1 and blocker.usename <> current_user
           and blocker.xact_start < clock_timestamp() - interval '${timeoutMs} ms'`,
        [database],
      );
      if (rowCount)
        logger.warn({ database, sessions: rowCount }, "app databases: ended sessions that kept an administration waiting");
    },
    onError: (error) => logger.warn({ err: error, database }, "app databases: looking for blocking sessions failed"),
  });
  try {
    return await work();
  } finally {
    over.abort();
    await watching;
    await client?.end().catch(() => {});
  }
}
