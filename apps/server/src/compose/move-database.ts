import { readFileSync } from "node:fs";
import {
  type MovedDatabase,
  moveDatabase,
  type PostgresConnection,
  type TlsMode,
  tlsOptions,
  undoMove,
} from "@appserver/database-postgres";
import { type Logger, messageOf, platformMigrations } from "@appserver/kernel";
import type { Migration } from "@appserver/kernel/ports";
import { builtInDrivers } from "../config/drivers/built-in-drivers.ts";
import type { ServeConfig } from "../config/serve-config.ts";
import { UsageError } from "../usage-error.ts";
import { connectionOf, partsOfUrl } from "./app-database-connections.ts";
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
  const { connection: target, sslMode } = targetOf(url, environment);
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
    APPSERVER_DB_SSLMODE: sslMode,
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
const modes = ["disable", "require", "verify-ca", "verify-full"] as const;
const files = ["sslrootcert", "sslcert", "sslkey"];

interface MoveTarget {
  readonly connection: PostgresConnection;
  readonly sslMode: TlsMode;
}

/** Reads a URL as libpq does. Throws UsageError, without the password. */
function targetOf(text: string, environment: Environment): MoveTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === "" || url.username === "" || url.pathname.length < 2)
    throw new UsageError(`--to: ${form}`);
  const { searchParams } = url;
  const unknown = [...searchParams.keys()].find((name) => name !== "sslmode" && !files.includes(name));
  if (unknown !== undefined) throw new UsageError(`--to: ${unknown} is unknown: expected sslmode, ${files.join(", ")}`);
  const given = searchParams.get("sslmode") ?? "disable";
  const sslMode = modes.find((each) => each === given);
  if (!sslMode) throw new UsageError(`--to: sslmode is ${given}: expected ${modes.join(", ")}`);
  try {
    const [rootCertificate, certificate, key] = files.map((name) => contentOf(searchParams.get(name)));
    const ssl = tlsOptions({ mode: sslMode, rootCertificate, certificate, key });
    const { host = "", user = "", database = "", ...parts } = partsOfUrl(text);
    return {
      connection: { port: 5432, password: environment["PGPASSWORD"] ?? "", ...parts, host, user, database, ssl },
      sslMode,
    };
  } catch (error) {
    throw new UsageError(`--to: ${messageOf(error)}; ${form}`);
  }
}

function contentOf(path: string | null): string | undefined {
  return path === null ? undefined : readFileSync(path, "utf8");
}
