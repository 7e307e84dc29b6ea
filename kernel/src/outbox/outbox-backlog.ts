import type { SqlExecutor } from "../platform-ports/database.ts";

/** Events that wait to be published. */
export interface OutboxBacklog {
  readonly pending: number;
  /** Age of the oldest event; 0 when none waits. */
  readonly oldestAgeSeconds: number;
}

/** Reads the backlog. The age is measured by the database's clock. */
export async function outboxBacklog(database: SqlExecutor): Promise<OutboxBacklog> {
  const { rows } = await database.query<{ pending: number; age: number | null }>(
    `select count(*)::int as pending, extract(epoch from clock_timestamp() - min(created_at))::float8 as age
     from platform.outbox`,
  );
  return { pending: rows[0]?.pending ?? 0, oldestAgeSeconds: Math.max(0, rows[0]?.age ?? 0) };
}
