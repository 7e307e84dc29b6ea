import type { Database } from "../platform-ports/database.ts";

/** Rows deleted by one statement, so that no transaction is long. */
const stepRows = 2_000;

/** The old rows of a table. */
export interface OldRows {
  /** With its schema. */
  readonly table: string;
  /** The column of its primary key. */
  readonly key: string;
  /** A condition on `old`, the alias of the table. `$1`: how old they are at least, as an interval. */
  readonly condition: string;
  readonly olderThanMs: number;
}

/**
 * Deletes old rows in steps. Processes that do so at once skip each other's rows. Ends early with `signal`. Returns how many it deleted.
 */
export async function deleteInSteps(
  database: Database,
  { table, key, condition, olderThanMs }: OldRows,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (let step = stepRows; step === stepRows && !signal?.aborted; deleted += step) {
    ({ count: step } = await database.query(
      `delete from ${table} where ${key} = any (array(
         select ${key} from ${table} as old where ${condition} limit ${stepRows} for update skip locked))`,
      [`${olderThanMs} milliseconds`],
    ));
  }
  return deleted;
}
