import type { DatabaseCopy } from "@appserver/kernel/ports";
import type pg from "pg";
import { administrationTimeoutMs, connected } from "./administrator-client.ts";
import { endLogin, endSessions, exists, inTransaction, loginsOf, name } from "./app-logins.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

// Copies belong to the administrator, so that no app reaches them. Their names do not begin like those of apps' databases, so that they
// count as none.

/** Returns the name of a copy. */
export function copyNameOf(copyId: string): string {
  return `copy_${idOf(copyId)}`;
}

/** Copies a database, which is closed to its app until the copy is complete or the time is over. Returns undefined if it does not exist. */
export async function copyDatabase(
  client: pg.Client,
  administrator: PostgresConnection,
  { database, copy, leftMs }: { readonly database: string; readonly copy: string; readonly leftMs: () => number },
): Promise<DatabaseCopy | undefined> {
  if (!(await exists(client, "pg_database", database))) return undefined;
  await drop(client, copy);
  await closed(client, database, async () => {
    // With what ended the sessions, it must not take longer than the app is paused.
    await client.query(`set statement_timeout to ${Math.max(1, Math.ceil(leftMs()))}`);
    await client.query(`create database ${name(copy)} template ${name(database)} strategy file_copy`);
  });
  await client.query(`set statement_timeout to ${administrationTimeoutMs}`);
  await client.query(`revoke all on database ${name(copy)} from public`);
  // A login, which ends with its generation, could not be deleted while it owned anything in a copy.
  const logins = await loginsOf(client, database);
  await connected({ ...administrator, database: copy }, async (inCopy) => {
    for (const login of logins) await handOver(inCopy, login, database);
  });
  const { rows } = await client.query<{ readonly bytes: number }>("select pg_database_size($1) as bytes", [copy]);
  return { name: copy, usedBytes: Number(rows[0]?.bytes ?? 0) };
}

/** The databases of a restore, of which `from` is the one that the copy was made of. */
export interface RestoredDatabase {
  readonly database: string;
  readonly copy: string;
  readonly from: string;
}

/** Puts a copy of the copy in the place of the database: both are renamed in one transaction. */
export async function restoreDatabaseCopy(
  client: pg.Client,
  administrator: PostgresConnection,
  { database, copy, from }: RestoredDatabase,
): Promise<void> {
  const [next, replaced] = [`next_${copy}`, `replaced_${copy}`];
  await client.query(`set statement_timeout to ${administrationTimeoutMs}`);
  // Left by an orchestrator that was killed.
  for (const left of [next, replaced]) await drop(client, left);
  await ensureOwner(client, database);
  await client.query(`create database ${name(next)} template ${name(copy)} strategy file_copy`);
  await client.query(`revoke all on database ${name(next)} from public`);
  if (from !== database && (await exists(client, "pg_roles", from)))
    await connected({ ...administrator, database: next }, (inNext) =>
      inTransaction(inNext, async () => {
        await handOver(inNext, from, database);
        // PostgreSQL also hands over the role's own database, and revokes what the role may do in it.
        if (await exists(inNext, "pg_database", from)) {
          await inNext.query(`alter database ${name(from)} owner to ${name(from)}`);
          await inNext.query(`grant all on database ${name(from)} to ${name(from)}`);
        }
      }),
    );
  await client.query(`alter database ${name(next)} owner to ${name(database)}`);
  if (await exists(client, "pg_database", database)) {
    await closed(client, database, () =>
      inTransaction(client, async () => {
        await client.query(`alter database ${name(database)} rename to ${name(replaced)}`);
        await client.query(`alter database ${name(next)} rename to ${name(database)}`);
      }),
    );
  } else await client.query(`alter database ${name(next)} rename to ${name(database)}`);
  await drop(client, replaced);
}

export async function removeDatabaseCopy(client: pg.Client, copy: string): Promise<void> {
  for (const left of [`next_${copy}`, `replaced_${copy}`, copy]) await drop(client, left);
  // Of an import that did not come to its end.
  if (!(await exists(client, "pg_roles", copy))) return;
  await endLogin(client, copy);
  await client.query(`drop role ${name(copy)}`);
}

/** Ends the sessions in a database and allows none while `work` runs. If the process is killed, {@link openDatabase} allows them again. */
async function closed(client: pg.Client, database: string, work: () => Promise<void>): Promise<void> {
  await client.query(`alter database ${name(database)} is_template false connection limit -1 allow_connections false`);
  try {
    for (const login of await loginsOf(client, database)) await endSessions(client, login);
    await client.query("select pg_terminate_backend(pid, 2000) from pg_stat_activity where datname = $1", [database]);
    await work();
  } finally {
    // Also after a timeout, which ends a statement but not the connection. The renamed one is deleted.
    await openDatabase(client, database).catch(() => {});
  }
}

/** Allows sessions in a database that a killed orchestrator has closed. */
export async function openDatabase(client: pg.Client, database: string): Promise<void> {
  const { rowCount } = await client.query("select from pg_database where datname = $1 and not datallowconn", [database]);
  if (rowCount) await client.query(`alter database ${name(database)} allow_connections true`);
}

/** In a database: gives what a role owns to another one, and revokes what was granted to it. */
export async function handOver(inDatabase: pg.Client, role: string, to: string): Promise<void> {
  if (!(await exists(inDatabase, "pg_roles", role))) return;
  await inDatabase.query(`reassign owned by ${name(role)} to ${name(to)}`);
  await inDatabase.query(`drop owned by ${name(role)}`);
}

/** Creates the role of an app unless it exists. The connection's role becomes a member of it. */
export async function ensureOwner(client: pg.Client, role: string): Promise<void> {
  if (!(await exists(client, "pg_roles", role))) await client.query(`create role ${name(role)} nologin`);
  await client.query(`grant ${name(role)} to current_user`);
}

async function drop(client: pg.Client, database: string): Promise<void> {
  await client.query(`set statement_timeout to ${administrationTimeoutMs}`);
  await client.query(`drop database if exists ${name(database)} with (force)`);
}

function idOf(copyId: string): string {
  if (/^[0-9a-f-]{1,36}$/.test(copyId)) return copyId.replaceAll("-", "");
  throw new Error(`no id of a copy: ${JSON.stringify(copyId)}`);
}
