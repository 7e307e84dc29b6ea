import { readFileSync } from "node:fs";
import { partsOfUrl, tlsModes, tlsOptions } from "@appserver/contracts/database";
import { type MovedDatabase, moveDatabase, type PostgresConnection, undoMove } from "@appserver/database-postgres";
import { type Logger, messageOf, platformMigrations } from "@appserver/kernel";
import type { Migration } from "@appserver/kernel/ports";
import { builtInDrivers } from "../config/drivers/built-in-drivers.ts";
import type { ServeConfig } from "../config/serve-config.ts";
import { UsageError } from "../usage-error.ts";
import { connectionOf } from "./app-database-connections.ts";
import { serverMigrations } from "./server-migrations.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Options of the moved platform that are no secrets, by their variables. */
export type DatabaseVariables = Readonly<Record<string, string>>;

/** Moves the platform from the database of the configuration to that of the URL. */
export async function moveToDatabase(
  config: ServeConfig,
  url: string,
  environment: Environment,
  logger: Logger,
): Promise<MovedDatabase & { readonly variables: DatabaseVariables }> {
  const { connection: target, tls } = targetOf(url, environment);
  const moved = await moveDatabase({
    source: connectionOf(config.database),
    target,
    migrations: knownMigrations(config),
    onTable: (table, rows) => logger.info({ table, rows }, "database: copied a table"),
  });
  const variables = {
    APPSERVER_DB_HOST: target.host,
    APPSERVER_DB_PORT: String(target.port),
    APPSERVER_DB_NAME: target.database,
    APPSERVER_DB_USER: target.user,
    ...Object.fromEntries(Object.entries(tls).map(([parameter, value]) => [tlsVariables[parameter as TlsParameter], value])),
  };
  return { ...moved, variables };
}

/** Makes the database of the configuration, which was left, the platform's again. */
export function returnToDatabase(config: ServeConfig): ReturnType<typeof undoMove> {
  return undoMove(connectionOf(config.database));
}

/** Also those of drivers that the platform ran on before. */
function knownMigrations(config: ServeConfig): readonly Migration[] {
  const ofDrivers = Object.values(builtInDrivers).flatMap((drivers) =>
    drivers.flatMap(({ driver }) => driver.migrations ?? []),
  );
  const known = [...platformMigrations, ...ofDrivers, ...serverMigrations(config)];
  return [...new Map(known.map((migration) => [migration.name, migration])).values()];
}

const form = "expected postgres://<user>@<host>:<port>/<database>";
/** Parameters of the URL, and the options with their values. */
const tlsVariables = {
  sslmode: "APPSERVER_DB_SSLMODE",
  sslrootcert: "APPSERVER_DB_SSL_ROOT_CERT_FILE",
  sslcert: "APPSERVER_DB_SSL_CERT_FILE",
  sslkey: "APPSERVER_DB_SSL_KEY_FILE",
} as const;
type TlsParameter = keyof typeof tlsVariables;

interface MoveTarget {
  readonly connection: PostgresConnection;
  readonly tls: Readonly<Partial<Record<TlsParameter, string>>>;
}

/** Reads a URL as libpq does. Throws UsageError, without the password. */
function targetOf(text: string, environment: Environment): MoveTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === "" || url.username === "" || url.pathname.length < 2)
    throw new UsageError(`--to: ${form}`);
  const tls: Readonly<Record<string, string>> = { sslmode: "disable", ...Object.fromEntries(url.searchParams) };
  const unknown = Object.keys(tls).find((name) => !Object.hasOwn(tlsVariables, name));
  if (unknown !== undefined)
    throw new UsageError(`--to: ${unknown} is unknown: expected ${Object.keys(tlsVariables).join(", ")}`);
  try {
    const { host = "", user = "", database = "", ...parts } = partsOfUrl(text);
    const password = environment["PGPASSWORD"] ?? "";
    return { connection: { port: 5432, password, ...parts, host, user, database, ssl: tlsOf(tls) }, tls };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`--to: ${messageOf(error)}; ${form}`);
  }
}

function tlsOf({ sslmode, sslrootcert, sslcert, sslkey }: MoveTarget["tls"]): ReturnType<typeof tlsOptions> {
  const mode = tlsModes.find((each) => each === sslmode);
  if (!mode) throw new UsageError(`--to: sslmode is ${sslmode}: expected ${tlsModes.join(", ")}`);
  const [rootCertificate, certificate, key] = [sslrootcert, sslcert, sslkey].map((path) => path && readFileSync(path, "utf8"));
  return tlsOptions({ mode, rootCertificate, certificate, key });
}
