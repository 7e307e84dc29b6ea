import type { Logger } from "@appserver/kernel";
import type pg from "pg";
import { endSessions, exists, inTransaction, loginsOf, name } from "./app-logins.ts";

// The owner role of a database never connects. Its connection limit is therefore the mark of a database over its size limit: with 0,
// no login of the app gets connections. It survives every process, and an app cannot change it.

export interface MeasuredDatabase {
  readonly name: string;
  /** Undefined if the app has taken the right to measure it from the administrator. */
  readonly usedBytes: number | undefined;
  /** Whether its logins get no connections because of its size. */
  readonly isClosed: boolean;
  /** Whether a login is connected. */
  readonly hasSessions: boolean;
}

/** Measures all databases of apps in one statement, which reads the sizes of all their files. */
export async function measureDatabases(client: pg.Client): Promise<readonly MeasuredDatabase[]> {
  const { rows } = await client.query<Omit<MeasuredDatabase, "usedBytes"> & { readonly usedBytes: number | null }>(
    `select datname as name, rolconnlimit = 0 as "isClosed",
       case when has_database_privilege(db.oid, 'connect') or pg_has_role('pg_read_all_stats', 'usage')
         then pg_database_size(db.oid) end as "usedBytes",
       exists (select from pg_stat_activity where datid = db.oid and starts_with(usename, datname || '_g')) as "hasSessions"
     from pg_database db join pg_roles owner on owner.oid = datdba
     where rolname = datname and starts_with(datname, 'app_')`,
  );
  return rows.map(({ usedBytes, ...rest }) => ({ ...rest, usedBytes: usedBytes ?? undefined }));
}

/** Returns whether {@link applySizeLimit} has nothing to do. */
export function isSettled({ usedBytes, isClosed, hasSessions }: MeasuredDatabase, limitBytes: number): boolean {
  if (usedBytes === undefined) return false;
  return usedBytes > limitBytes ? isClosed && !hasSessions : !isClosed;
}

export interface SizeLimit {
  readonly database: string;
  readonly limitBytes: number;
  /** Of each login, while the database is within its limit. */
  readonly connections: number;
  readonly logger: Logger;
}

/**
 * Closes a database over its limit to its app, or opens it again. Returns its size now, undefined if it was removed. No other
 * administration of the same app may run.
 */
export async function applySizeLimit(client: pg.Client, limit: SizeLimit): Promise<number | undefined> {
  const { database, limitBytes, connections, logger } = limit;
  if (!(await exists(client, "pg_database", database))) return undefined;
  const usedBytes = await measure(client, database);
  const isFull = usedBytes > limitBytes;
  const logins = await loginsOf(client, database);
  // First, because such a session may have changed its role and not committed.
  if (isFull) for (const login of logins) await endSessions(client, login);
  await inTransaction(client, async () => {
    await client.query(`alter role ${name(database)} connection limit ${isFull ? 0 : -1}`);
    for (const login of logins) await client.query(`alter role ${name(login)} connection limit ${isFull ? 0 : connections}`);
  });
  if (isFull) for (const login of logins) await endSessions(client, login);
  const details = { database, usedBytes, limitBytes };
  if (isFull) logger.warn(details, "app databases: a database is over its size limit; its app gets no connections");
  else logger.info(details, "app databases: a database is within its size limit; its app gets connections");
  return usedBytes;
}

/** Returns how many connections a login of the app gets, of those that it would get if its database were within its limit. */
export async function connectionsOf(client: pg.Client, database: string, connections: number): Promise<number> {
  const { rowCount } = await client.query("select from pg_roles where rolname = $1 and rolconnlimit = 0", [database]);
  return rowCount === 0 ? connections : 0;
}

/** In a transaction, so that an app cannot take the right back before its database is measured. */
function measure(client: pg.Client, database: string): Promise<number> {
  return inTransaction(client, async () => {
    await client.query(`grant connect on database ${name(database)} to ${name(database)}`);
    const { rows } = await client.query<{ readonly bytes: number }>("select pg_database_size($1) as bytes", [database]);
    return rows[0]?.bytes ?? 0;
  });
}
