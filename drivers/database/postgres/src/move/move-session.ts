import type { DatabaseError, SqlExecutor, SqlResult } from "@appserver/kernel/ports";
import pg from "pg";
import { clientConfig, type PostgresConnection } from "../postgres-connection.ts";
import { toDatabaseError } from "../postgres-errors.ts";

/** A connection of a move to one of its two databases. Errors name the database. */
export interface MoveSession extends SqlExecutor {
  /** For errors and marks: host, port and database. */
  readonly name: string;
  /** For streams of COPY. */
  readonly client: pg.Client;
  close(): Promise<void>;
}

export const lockTimeoutSeconds = 10;

/** Not that of the platform's processes, of which there must be none. */
const moveName = "appserver database move";

/**
 * Both sides write values in the same form. A copy may take hours, and one side waits for the other. A lock that another session
 * holds for longer is an error.
 */
const settings: Readonly<Record<string, string>> = {
  client_encoding: "UTF8",
  datestyle: "ISO, YMD",
  intervalstyle: "postgres",
  timezone: "UTC",
  extra_float_digits: "3",
  bytea_output: "hex",
  row_security: "off",
  // Names and types are written with their schema.
  search_path: "pg_catalog",
  statement_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  lock_timeout: `${lockTimeoutSeconds}s`,
};

/** Returns the address of a database for people, without credentials. */
export function nameOf({ host, port, database }: PostgresConnection): string {
  return `${host}:${port}/${database}`;
}

/** Rejects with DatabaseError. */
export async function openMoveSession(connection: PostgresConnection): Promise<MoveSession> {
  const { statement_timeout, query_timeout, idle_in_transaction_session_timeout, ...config } = clientConfig(connection, 0);
  const client = new pg.Client({ ...config, application_name: moveName });
  // A connection that is lost between two statements makes the next one fail.
  client.on("error", () => {});
  const name = nameOf(connection);
  const session: MoveSession = {
    name,
    client,
    query: (text, parameters) => run(client, name, text, parameters),
    close: () => client.end().catch(() => {}),
  };
  try {
    await client.connect();
    for (const [setting, value] of Object.entries(settings))
      await client.query("select set_config($1, $2, false)", [setting, value]);
    return session;
  } catch (error) {
    await session.close();
    throw failureOf(error, name);
  }
}

/** Returns the error with the name of the database. */
export function failureOf(error: unknown, name: string): DatabaseError {
  // Of a host with several addresses, of which none was reached.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const failure = toDatabaseError(first);
  failure.message = `${name}: ${failure.message}`;
  return failure;
}

async function run<Row extends object>(
  client: pg.Client,
  name: string,
  text: string,
  parameters: readonly unknown[] | undefined,
): Promise<SqlResult<Row>> {
  try {
    const result = await (parameters ? client.query<Row & object>(text, [...parameters]) : client.query<Row & object>(text));
    return { rows: result.rows ?? [], count: result.rowCount ?? 0 };
  } catch (error) {
    throw failureOf(error, name);
  }
}
