import { connected } from "../administrator-client.ts";
import type { PostgresConnection } from "../postgres-connection.ts";

/** A database whose tables were read to their end. */
export interface ReadDatabase {
  readonly name: string;
  readonly tables: number;
  readonly rows: number;
}

/**
 * Reads every table of every database of a server, as a superuser, who runs no code of apps by it. Rejects with DatabaseError at the first page
 * that is damaged.
 */
export async function readTables(connection: PostgresConnection): Promise<readonly ReadDatabase[]> {
  const names = await connected(connection, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where datallowconn and not datistemplate order by 1",
    );
    return rows.map(({ name }) => name);
  });
  const read: ReadDatabase[] = [];
  for (const name of names) read.push(await readDatabase({ ...connection, database: name }, name));
  return read;
}

async function readDatabase(connection: PostgresConnection, name: string): Promise<ReadDatabase> {
  return await connected(connection, async (client) => {
    await client.query("set statement_timeout = 0; set search_path = pg_catalog");
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace n on n.oid = relnamespace
       where relkind in ('r', 'm') and relpersistence = 'p' and nspname <> 'information_schema' order by 1`,
    );
    let rows = 0;
    for (const { name: table } of tables) {
      const { rows: counted } = await client.query<{ count: number }>(`select count(*)::int8 as count from only ${table}`);
      rows += counted[0]?.count ?? 0;
    }
    return { name, tables: tables.length, rows };
  });
}
