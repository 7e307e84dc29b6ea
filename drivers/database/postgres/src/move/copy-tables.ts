import { pipeline } from "node:stream/promises";
import { AppError } from "@appserver/kernel";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { failureOf, type MoveSession } from "./move-session.ts";
import { type PlatformTable, readForeignKeys } from "./platform-tables.ts";

export interface TableCopy {
  readonly source: MoveSession;
  readonly target: MoveSession;
  /** Both databases have them, with the same columns. */
  readonly tables: readonly PlatformTable[];
  readonly sequences: Iterable<string>;
  /** Called after each table. */
  readonly onTable: (name: string, rows: number) => void;
}

/**
 * Replaces the rows of all tables of the target by those of the source, and sets the sequences. Both sessions are in a transaction, and
 * nothing else writes to the tables. Memory does not grow with the tables. Returns the number of rows. Throws CONFLICT if
 * the copy differs from the source.
 */
export async function copyTables(copy: TableCopy): Promise<number> {
  const { target, tables, onTable } = copy;
  if (tables.length === 0) return 0;
  const keys = await readForeignKeys(target, tables);
  for (const { table, name } of keys) await target.query(`alter table ${table} drop constraint ${name}`);
  await target.query(`truncate ${tables.map(({ name }) => name).join(", ")}`);
  let total = 0;
  for (const table of tables) {
    await target.query(`alter table ${table.name} disable trigger user`);
    await copyTable(copy, table);
    await target.query(`alter table ${table.name} enable trigger user`);
    const rows = await compare(copy, table);
    onTable(table.name, rows);
    total += rows;
  }
  for (const { table, name, definition } of keys)
    await target.query(`alter table ${table} add constraint ${name} ${definition}`);
  await copySequences(copy);
  await target.query(`analyze ${tables.map(({ name }) => name).join(", ")}`);
  return total;
}

/** In text, which servers of different versions write and read in the same way. The target computes generated columns. */
async function copyTable({ source, target }: TableCopy, { name, columns }: PlatformTable): Promise<void> {
  const list = columns.flatMap((column) => (column.isGenerated ? [] : [column.name])).join(", ");
  if (list === "") return;
  const read = source.client.query(copyTo(`copy (select ${list} from ${name}) to stdout`));
  const write = target.client.query(copyFrom(`copy ${name} (${list}) from stdin`));
  try {
    await pipeline(read, write);
  } catch (error) {
    throw failureOf(error, `copying the table ${name} from ${source.name} to ${target.name}`);
  }
}

interface Digest {
  readonly rows: string;
  readonly sum: string;
}

/** Returns the number of rows. */
async function compare({ source, target }: TableCopy, { name, columns }: PlatformTable): Promise<number> {
  const row = `row(${columns.map((column) => column.name).join(", ")})::text`;
  // The sum does not depend on the order of rows, and counts equal ones.
  const digest = `select count(*)::text as rows,
      coalesce(sum(('x' || left(encode(sha256(convert_to(${row}, 'UTF8')), 'hex'), 15))::bit(60)::bigint), 0)::text as sum
      from ${name}`;
  const [from, to] = await Promise.all([source, target].map(async (each) => (await each.query<Digest>(digest)).rows[0]));
  if (from && to && from.rows === to.rows && from.sum === to.sum) return Number(to.rows);
  throw new AppError(
    "CONFLICT",
    `the table ${name} differs after the copy: ${from?.rows} rows in ${source.name}, ${to?.rows} in ${target.name}: nothing was moved`,
  );
}

interface SequenceValue {
  readonly value: string;
  readonly is_called: boolean;
}

/** Also those of identity columns. */
async function copySequences({ source, target, sequences }: TableCopy): Promise<void> {
  for (const name of sequences) {
    const { rows } = await source.query<SequenceValue>(`select last_value::text as value, is_called from ${name}`);
    const [{ value, is_called } = { value: "1", is_called: false }] = rows;
    await target.query("select setval($1::regclass, $2::bigint, $3)", [name, value, is_called]);
  }
}
