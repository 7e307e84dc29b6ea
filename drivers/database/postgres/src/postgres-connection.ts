import type { ConnectionOptions as TlsOptions } from "node:tls";
import pg from "pg";

/** Address and credentials of a PostgreSQL server. */
export interface PostgresConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** `true` verifies the server's certificate against the system's authorities. Default: no TLS. */
  readonly ssl?: boolean | TlsOptions;
}

/** Of every connection of the platform's processes. */
export const applicationName = "appserver";

/** Returns the client library's settings for one connection, the same for pooled and listening ones. */
export function clientConfig(connection: PostgresConnection, statementTimeoutMs: number): pg.ClientConfig {
  return {
    host: connection.host,
    port: connection.port,
    user: connection.user,
    password: connection.password,
    database: connection.database,
    ssl: connection.ssl ?? false,
    application_name: applicationName,
    types: { getTypeParser: typeParser },
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: statementTimeoutMs,
    // The server enforces the statement timeout; this one is for a server that no longer responds.
    query_timeout: statementTimeoutMs + 5_000,
    idle_in_transaction_session_timeout: 2 * statementTimeoutMs,
  };
}

const int8 = 20;
const int8Array = 1016;

// Passed with each connection: the library's registry is global to the process, and other code may depend on it.
const typeParser: pg.CustomTypesConfig["getTypeParser"] = (oid: number, format?: "text" | "binary") => {
  // biome-ignore lint/suspicious/noExplicitAny: the library types its parsers so
  const standard = pg.types.getTypeParser(oid, format as "text") as (value: string) => any;
  if (oid === int8) return Number;
  if (oid === int8Array) return (value: string) => (standard(value) as (string | null)[]).map((each) => each && Number(each));
  return standard;
};
