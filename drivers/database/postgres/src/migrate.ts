import { advisoryLocks, DatabaseHome, StartError } from "@appserver/kernel";
import { type Database, DatabaseError, type Migration, type SqlExecutor } from "@appserver/kernel/ports";

/**
 * Applies the migrations that `platform.migrations` does not contain yet, in the given order, each with its record in one
 * transaction. Returns the names applied by this call. Throws StartError if the list lacks applied migrations of a service in it:
 * a newer or an unreleased version has applied them, and this one does not know their changes. Also if the platform was moved to another
 * database.
 *
 * Not kysely's Migrator: it runs all migrations in a single transaction or records each outside the transaction that ran it,
 * and it refuses a list without the migrations of another process of the platform.
 */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<readonly string[]> {
  refuseDuplicates(migrations);
  const home = new DatabaseHome(database);
  await home.require();
  const known = await appliedNames(database);
  refuseUnknown(known, migrations);
  const applied: string[] = [];
  const missing = migrations.filter(({ name }) => !known.has(name));
  for (const migration of missing) if (await applyOne(database, migration)) applied.push(migration.name);
  // The wait for the lock may have been one for a move to this database.
  if (missing.length > applied.length) await home.require();
  return applied;
}

function refuseDuplicates(migrations: readonly Migration[]): void {
  const names = new Set<string>();
  for (const { name } of migrations) {
    if (names.has(name)) throw new TypeError(`migration ${name} is listed twice`);
    names.add(name);
  }
}

/** Ignores services that the list does not contain: another process may run them. */
function refuseUnknown(applied: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const byService = Map.groupBy(
    migrations.map(({ name }) => name),
    serviceOf,
  );
  const unknown = [...applied].filter((name) => byService.get(serviceOf(name))?.includes(name) === false).sort();
  // A newer version has all migrations of this one, and others after them.
  const unreleased = unknown.find((name) =>
    byService.get(serviceOf(name))?.some((known) => known > name || !applied.has(known)),
  );
  if (unreleased !== undefined)
    throw new StartError(
      `The data was made by an unreleased version of the platform (${unreleased} is unknown to this one): ` +
        "remove the data folder of `appserver dev`, or use a new database in production.",
    );
  if (unknown.length > 0)
    throw new StartError(
      `The data was used by a newer version of the platform (${unknown.join(", ")} is unknown to this one): ` +
        "start that version, or restore a backup that was made before it.",
    );
}

function serviceOf(migration: string): string {
  return migration.slice(0, migration.indexOf("/"));
}

/** Reads the applied migrations without the lock: except at the first start there is nothing to apply, and so no wait. */
export async function appliedNames(sql: SqlExecutor): Promise<ReadonlySet<string>> {
  const { rows: tables } = await sql.query(
    "select 1 from pg_tables where schemaname = 'platform' and tablename = 'migrations'",
  );
  if (tables.length === 0) return new Set();
  const { rows } = await sql.query<{ name: string }>("select name from platform.migrations");
  return new Set(rows.map((row) => row.name));
}

async function applyOne(database: Database, migration: Migration): Promise<boolean> {
  try {
    return await database.transaction(async (tx) => {
      // A migration may take long, and so may the wait for one of another process: no timeout.
      await tx.query("set local statement_timeout = 0");
      return await applyIn(tx, migration);
    });
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const message = `migration ${migration.name} failed: ${error.message}`;
    throw new DatabaseError(error.reason, message, { cause: error, constraint: error.constraint });
  }
}

/** Applies a migration in an open transaction, unless another process has applied it. Waits for such a process. */
export async function applyIn(tx: SqlExecutor, migration: Migration): Promise<boolean> {
  await tx.query("select pg_advisory_xact_lock($1)", [advisoryLocks.migrations]);
  await tx.query("create schema if not exists platform");
  await tx.query(
    "create table if not exists platform.migrations (name text primary key, applied_at timestamptz not null default now())",
  );
  const { count } = await tx.query("insert into platform.migrations (name) values ($1) on conflict do nothing", [
    migration.name,
  ]);
  if (count === 0) return false;
  await tx.query(migration.sql);
  return true;
}
