import type { SqlExecutor, Window, WindowResult } from "@appserver/driver";
import { hashedKey } from "./hashed-key.ts";

/** One hit, to be counted under a key. */
export interface Hit {
  readonly key: string;
  readonly windows: readonly Window[];
}

interface HitRow {
  readonly allowed: boolean;
  readonly decisive: number;
  readonly remaining: number;
  readonly reset_us: number;
}

/** Counts hits with one statement. Returns the result of each hit. */
export async function countHits(database: SqlExecutor, hits: readonly Hit[]): Promise<readonly WindowResult[]> {
  const inOrder = hits
    .map(({ key, windows }, index) => ({ key: hashedKey(key), windows, index }))
    .sort((left, right) => (left.key === right.key ? left.index - right.index : left.key < right.key ? -1 : 1));
  const windows = inOrder.flatMap((hit) => hit.windows);
  const { rows } = await database.query<HitRow>("select * from cache.count_hits($1, $2, $3, $4)", [
    inOrder.map(({ key }) => key),
    inOrder.map((hit) => hit.windows.length),
    windows.map(({ limit }) => limit),
    windows.map(({ windowMs }) => Math.round(windowMs * 1_000)),
  ]);
  const results = new Map(inOrder.map(({ index }, position) => [index, resultOf(rows[position])]));
  return hits.map((_, index) => results.get(index) ?? resultOf(undefined));
}

function resultOf(row: HitRow | undefined): WindowResult {
  if (!row) throw new TypeError("cache.count_hits did not return a row for each hit");
  return { allowed: row.allowed, window: row.decisive, remaining: row.remaining, resetMs: row.reset_us / 1_000 };
}
