import { randomBytes } from "node:crypto";
import pg from "pg";
import { connected } from "../administrator-client.ts";
import { clientConfig, type PostgresConnection } from "../postgres-connection.ts";
import { toDatabaseError } from "../postgres-errors.ts";

/** A database whose tables were read to their end. */
export interface ReadDatabase {
  readonly name: string;
  readonly tables: number;
  readonly rows: number;
}

const reader = "appserver_reader";
/** Reading one table takes no longer, or it runs code of an app that does not end. */
const tableTimeoutMs = 3_600_000;

/**
 * Reads every table of every database of a server that is a copy. Adds a role to the server: planning a statement can run code of an app, such as the
 * condition of an index, which must not run as a superuser. Rejects with DatabaseError at the first page that is damaged.
 */
export async function readTables(administrator: PostgresConnection): Promise<readonly ReadDatabase[]> {
  const password = randomBytes(24).toString("base64url");
  const names = await connected(administrator, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where datallowconn and not datistemplate order by 1",
    );
    await client.query(`drop role if exists ${reader}`);
    // Policies of rows are code of apps, too.
    await client.query(`create role ${reader} login bypassrls password '${password}' in role pg_read_all_data`);
    for (const { name } of rows) await client.query(`grant connect on database ${client.escapeIdentifier(name)} to ${reader}`);
    return rows.map(({ name }) => name);
  });
  const read: ReadDatabase[] = [];
  for (const database of names) read.push(await readDatabase({ ...administrator, user: reader, password, database }));
  return read;
}

async function readDatabase(connection: PostgresConnection): Promise<ReadDatabase> {
  const client = new pg.Client(clientConfig(connection, tableTimeoutMs));
  // The running statement reports a lost connection.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("set search_path = pg_catalog");
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace n on n.oid = relnamespace
       where relkind in ('r', 'm') and relpersistence = 'p' and nspname not in ('pg_catalog', 'information_schema') order by 1`,
    );
    let rows = 0;
    for (const { name } of tables) {
      const { rows: counted } = await client.query<{ count: number }>(`select count(*) as count from only ${name}`);
      rows += counted[0]?.count ?? 0;
    }
    return { name: connection.database, tables: tables.length, rows };
  } catch (error) {
    throw toDatabaseError(error);
  } finally {
    await client.end().catch(() => {});
  }
}
