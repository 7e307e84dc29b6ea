import type { SqlExecutor } from "@appserver/driver";

const rowsAtOnce = 5_000;
/** The tables have this many rows at most after an upkeep. Those that expire first are deleted. */
const maxRows = 100_000;

/** What may be deleted before its time. */
const evictable = { counters: "true", entries: "true", marks: "is_evictable" } as const;

/** Deletes the expired rows, and the rows for which there is no room. */
export async function removeRows(database: SqlExecutor, limit: number = maxRows): Promise<void> {
  for (const table of ["counters", "entries", "marks"] as const) {
    const remove = async (which: string, count: number): Promise<number> => {
      const { count: removed } = await database.query(
        `delete from cache.${table} where ctid = any(array(
           select ctid from cache.${table} where ${which} limit $1 for update skip locked))`,
        [count],
      );
      return removed;
    };
    while ((await remove("expires_at <= clock_timestamp()", rowsAtOnce)) === rowsAtOnce);
    const { rows } = await database.query<{ count: number }>(
      `select count(*) as count from cache.${table} where ${evictable[table]}`,
    );
    for (let over = (rows[0]?.count ?? 0) - limit; over > 0; over -= rowsAtOnce) {
      await remove(`${evictable[table]} order by expires_at`, Math.min(over, rowsAtOnce));
    }
  }
}
