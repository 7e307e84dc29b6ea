import type { SqlExecutor } from "@appserver/driver";

/** NOTIFY channel of changed entries: `k` and a key, or `p` and a prefix. */
export const changeChannel = "appserver_cache";

export interface Entry {
  readonly key: string;
  readonly value: string;
  readonly ttlMs: number;
}

export interface StoredValue {
  readonly value: string;
  readonly leftMs: number;
}

/** Keys that the table takes: PostgreSQL has no texts with NUL, and notifications have a largest size. */
export function isStorable(key: string): boolean {
  return Buffer.byteLength(key) <= 2_000 && !key.includes("\0");
}

/** Reads entries with one statement. */
export async function readEntries(
  database: SqlExecutor,
  keys: readonly string[],
): Promise<readonly (StoredValue | undefined)[]> {
  const { rows } = await database.query<{ key: string; value: Buffer; left_ms: number }>(
    `select key, value, (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as left_ms
       from cache.entries where key = any($1) and expires_at > clock_timestamp()`,
    [[...new Set(keys)]],
  );
  const found = new Map(rows.map(({ key, value, left_ms: leftMs }) => [key, { value: value.toString("utf8"), leftMs }]));
  return keys.map((key) => found.get(key));
}

/** Stores entries with one statement. Of two with one key the last one stays. Other processes are notified of those that are replaced. */
export async function storeEntries(database: SqlExecutor, entries: readonly Entry[]): Promise<void> {
  const given = [...new Map(entries.map((entry) => [entry.key, entry])).values()];
  await database.query(
    `with stored as (
       insert into cache.entries (key, value, expires_at)
       select key, value, clock_timestamp() + ms * interval '1 millisecond'
         from unnest($1::text[], $2::bytea[], $3::float8[]) as given (key, value, ms)
        order by key collate "C"
       on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at
       returning key, xmax <> 0 as is_replaced)
     select pg_notify($4, 'k' || key) from stored where is_replaced`,
    [
      given.map(({ key }) => key),
      given.map(({ value }) => Buffer.from(value, "utf8")),
      given.map(({ ttlMs }) => ttlMs),
      changeChannel,
    ],
  );
}

/** Deletes the entries, marks and hits of a key. `hashed` is the key as marks and hits have it. */
export async function deleteKey(database: SqlExecutor, key: string, hashed: string): Promise<void> {
  await database.query(
    `with marks as (delete from cache.marks where key = $2),
          counters as (delete from cache.counters where key = $2),
          entries as (delete from cache.entries where key = $1)
     select pg_notify($3, 'k' || $1)`,
    [key, hashed, changeChannel],
  );
}

const deletedAtOnce = 5_000;

/** Deletes the entries with a prefix, {@link deletedAtOnce} in each statement. */
export async function deleteEntries(database: SqlExecutor, prefix: string): Promise<void> {
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce; ) {
    const { rows } = await database.query<{ count: number }>(
      `with found as (
         select key from cache.entries where key >= $1 and ($1 = '' or key < $1 || U&'\\+10FFFF') order by key limit $2 for update),
       deleted as (delete from cache.entries using found where entries.key = found.key returning 1)
       select count(*) as count from deleted`,
      [prefix, deletedAtOnce],
    );
    deleted = rows[0]?.count ?? 0;
  }
  await database.query("select pg_notify($1, 'p' || $2)", [changeChannel, prefix]);
}
