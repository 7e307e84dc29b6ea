import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of a folder with migrations. */
export interface Migration {
  /** `0001_notes.sql` */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 in hex, the same for both kinds of line ends. */
  readonly digest: string;
}

/** A file of migrations is wrong, or its statements failed. Another attempt would fail as well. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

const pattern = /^(\d{4})_[a-z0-9_-]+\.sql$/;

/** Reads the files `NNNN_name.sql` of a folder, in order. Rejects with {@link MigrationError} for another `.sql` file, or a number twice. */
export async function readMigrations(folder: string | URL): Promise<readonly Migration[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder;
  const entries = await readdir(path).catch((cause: NodeJS.ErrnoException) => {
    throw new MigrationError(`the folder ${path} with the migrations cannot be read: ${cause.message}`, { cause });
  });
  const names = entries.filter((name) => name.endsWith(".sql")).sort();
  const numbers = new Map<string, string>();
  for (const name of names) {
    const number = pattern.exec(name)?.[1];
    if (number === undefined)
      throw new MigrationError(`${join(path, name)} is no migration: expected four digits and a name, as 0001_notes.sql`);
    const other = numbers.get(number);
    if (other !== undefined)
      throw new MigrationError(`${join(path, name)} has the number of ${other}: expected one for each file`);
    numbers.set(number, name);
  }
  return await Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(join(path, name), "utf8")).replaceAll("\r\n", "\n");
      return { name, sql, digest: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

interface Row {
  readonly name: string;
  readonly digest: string;
}

/** A connection of `pg`. */
export interface MigrationClient {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
}

/** The key of the lock under which processes of the app migrate: any number that other locks of the database do not have. */
const lock = 7_041_776;

/**
 * Applies what the database does not have yet, in order, each in a transaction with its record in `app_migrations`. Processes that start at
 * once wait for each other. Migrations of a newer version of the app, which are not in the list, stay. Rejects with {@link MigrationError}
 * if an applied file has changed, a new one stands before an applied one, or statements fail.
 */
export async function applyMigrations(client: MigrationClient, migrations: readonly Migration[]): Promise<void> {
  for (const migration of migrations) {
    await client.query("begin");
    try {
      // For a wait for another process, and for statements that take long.
      await client.query("set local statement_timeout = 0");
      await client.query("select pg_advisory_xact_lock($1)", [lock]);
      await client.query(
        "create table if not exists app_migrations (name text primary key, digest text not null, applied_at timestamptz not null default now())",
      );
      const { rows } = await client.query("select name, digest from app_migrations");
      if (isMissing(migration, migrations, rows as Row[])) await applyOne(client, migration);
      await client.query("commit");
    } catch (error) {
      // It fails on a lost connection, which has ended the transaction as well.
      await client.query("rollback").catch(() => {});
      throw error;
    }
  }
}

function isMissing({ name, digest }: Migration, migrations: readonly Migration[], applied: readonly Row[]): boolean {
  const known = applied.find((row) => row.name === name);
  if (known?.digest === digest) return false;
  if (known)
    throw new MigrationError(
      `${name} has changed after it was applied to this database: undo the change, and make it in a new file`,
    );
  const later = applied.find((row) => row.name > name && migrations.some((each) => each.name === row.name));
  if (later)
    throw new MigrationError(
      `${name} is new, and stands before ${later.name}, which was applied to this database: give it a higher number`,
    );
  return true;
}

async function applyOne(client: MigrationClient, { name, sql, digest }: Migration): Promise<void> {
  try {
    await client.query(sql);
  } catch (cause) {
    const { severity, message, position } = cause as Error & { readonly severity?: string; readonly position?: string };
    // Not from the server: the connection was lost.
    if (severity === undefined) throw cause;
    const line = position === undefined ? "" : `:${sql.slice(0, Number(position)).split("\n").length}`;
    throw new MigrationError(`${name}${line}: ${message}`, { cause });
  }
  await client.query("insert into app_migrations (name, digest) values ($1, $2)", [name, digest]);
}
