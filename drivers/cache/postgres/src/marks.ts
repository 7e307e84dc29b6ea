import type { MarkOutcome, SqlExecutor } from "@appserver/driver";
import { hashedKey } from "./hashed-key.ts";

export interface Mark {
  readonly key: string;
  readonly ttlMs: number;
  readonly isEvictable: boolean;
}

/** Adds marks with one statement. Returns the outcome of each: of two with one key the first one can be added. */
export async function addMarks(database: SqlExecutor, marks: readonly Mark[]): Promise<readonly MarkOutcome[]> {
  const keys = marks.map(({ key }) => hashedKey(key));
  const firsts = new Map<string, number>();
  for (const [index, key] of keys.entries()) if (!firsts.has(key)) firsts.set(key, index);
  const given = [...firsts].map(([key, index]) => ({ key, mark: marks[index] }));
  // In the order of the keys, so that two statements never wait for each other.
  const { rows } = await database.query<{ key: string }>(
    `insert into cache.marks as stored (key, is_evictable, expires_at)
     select key, is_evictable, clock_timestamp() + ms * interval '1 millisecond'
       from unnest($1::text[], $2::boolean[], $3::float8[]) as given (key, is_evictable, ms)
      order by key collate "C"
     on conflict (key) do update set is_evictable = excluded.is_evictable, expires_at = excluded.expires_at
      where stored.expires_at <= clock_timestamp()
     returning key`,
    [given.map(({ key }) => key), given.map(({ mark }) => mark?.isEvictable), given.map(({ mark }) => mark?.ttlMs)],
  );
  const added = new Set(rows.map(({ key }) => key));
  return keys.map((key, index) => (firsts.get(key) === index && added.has(key) ? "added" : "present"));
}
