import { postgresUrl } from "@appserver/contracts/database";
import { AppError } from "@appserver/kernel";
import { networkAddress, upstreamVariable } from "./upstream-variable.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The login of one deployment at the app's own database. */
interface OwnLogin {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** What an app reaches of the platform's servers, besides its own API (docs/interface/containers.md#isolation). */
export type ServerAccess =
  /** The app has a database of its own, and no other server unless `redis` is set. */
  | { readonly isolation: "app"; readonly login: OwnLogin; readonly redis: boolean }
  /** The app gets the platform's own addresses and passwords. */
  | { readonly isolation: "shared" };

/** The inputs for an app's environment. */
export interface EnvironmentSource {
  readonly app: { readonly id: string; readonly name: string; readonly version: string; readonly port: number };
  /** Installed apps that the app depends on, with their addresses. */
  readonly upstreams: readonly { readonly name: string; readonly url: string }[];
  /** The orchestrator's environment. Only listed variables are read from it (docs/interface/containers.md#environment). */
  readonly platform: Variables;
  readonly access: ServerAccess;
  /** Constants and values of settings that the app declares. */
  readonly declared: Readonly<Record<string, string>>;
}

/** The other names of each variable: the specification's, and that of libpq, which drivers of all languages read. */
const databaseVariables: Readonly<Record<string, readonly string[]>> = {
  APPSERVER_DB_HOST: ["DB_HOST", "PGHOST"],
  APPSERVER_DB_PORT: ["DB_PORT", "PGPORT"],
  APPSERVER_DB_NAME: ["DB_NAME", "PGDATABASE"],
  APPSERVER_DB_USER: ["DB_USER", "PGUSER"],
  APPSERVER_DB_PASSWORD: ["DB_PASSWORD", "PGPASSWORD"],
  APPSERVER_DB_SSLMODE: ["DB_SSL_MODE", "PGSSLMODE"],
};

const redisPrefix = "APPSERVER_REDIS_";
const sharedPrefixes = ["APPSERVER_DB_", redisPrefix, "APPSERVER_EVENTBUS_"];
/** The collector of the platform's traces, if it has one. */
const collectorVariable = "APPSERVER_OTLP_ENDPOINT";
const passedNames = ["APPSERVER_HTTP_URL", "APPSERVER_GRPC_ADDRESS", "APPSERVER_GRAPHQL_URL", "NODE_ENV"];

/**
 * Returns the complete environment of an app's container (docs/interface/containers.md#environment). It is an allow-list, so
 * that a secret added to the orchestrator later is not passed either. Throws INVALID_REQUEST with the texts of
 * docs/interface/errors.md#orchestrator-errors.
 */
export function containerEnvironment({
  app,
  upstreams,
  platform,
  access,
  declared,
}: EnvironmentSource): Readonly<Record<string, string>> {
  // First, so that nothing that the app declares replaces a variable of the platform.
  const environment: Record<string, string> = { ...declared };
  for (const [name, value] of Object.entries({ ...platform, ...databaseOf(access) })) {
    if (value === undefined || !isPassedOn(name, access)) continue;
    environment[name] = value;
    for (const other of databaseVariables[name] ?? []) environment[other] = value;
  }
  environment["DATABASE_URL"] = postgresUrl({
    host: environment["PGHOST"],
    port: environment["PGPORT"],
    user: environment["PGUSER"],
    password: environment["PGPASSWORD"],
    database: environment["PGDATABASE"],
    sslMode: environment["PGSSLMODE"],
  });
  Object.assign(environment, telemetryOf(platform, app));
  const graphqlUrl = checkPlatformEnvironment(platform);
  environment["APPSERVER_GRAPHQL_URL"] = graphqlUrl;
  // The app SDK also expects the URL under this name.
  environment["APPSERVER_GRAPHQL_HTTP"] = graphqlUrl;
  for (const { name, url } of upstreams) environment[upstreamVariable(name)] = url;
  environment[upstreamVariable(app.name)] = networkAddress(app.name, app.port);
  return { ...environment, APP_ID: app.id, APP_NAME: app.name, PORT: String(app.port) };
}

/**
 * Checks the variables of the orchestrator that every container needs, and returns the GraphQL URL. Throws INVALID_REQUEST with
 * the texts of docs/interface/errors.md#orchestrator-errors.
 */
export function checkPlatformEnvironment(platform: Variables): string {
  const [gap] = platformGaps(platform);
  if (gap) throw new AppError("INVALID_REQUEST", gap.text);
  return graphqlUrlOf(platform) ?? "";
}

/**
 * Returns the address of another app on the platform, where apps call it as themselves. The platform's address is
 * `APPSERVER_HTTP_URL`, without it the origin of the GraphQL URL.
 */
export function proxyAddress(platform: Variables, appName: string): string {
  const url = platform["APPSERVER_HTTP_URL"] ?? new URL(graphqlUrlOf(platform) ?? "").origin;
  return `${url.replace(/\/+$/, "")}/api/apps/${appName}`;
}

/** A setting that every container needs and that the orchestrator's environment lacks. */
export interface PlatformGap {
  /** Text of docs/interface/errors.md#orchestrator-errors. */
  readonly text: string;
  /** The variable that sets it. */
  readonly variable: string;
}

export function platformGaps(platform: Variables): readonly PlatformGap[] {
  const gaps: PlatformGap[] = [];
  if (!platform["APPSERVER_DB_HOST"]) gaps.push({ text: "database configuration is required", variable: "APPSERVER_DB_HOST" });
  if (!graphqlUrlOf(platform)) gaps.push({ text: "AppServerURL is required", variable: "APPSERVER_GRAPHQL_HTTP" });
  return gaps;
}

/** Returns the passwords of the platform's servers that an app may get, from the orchestrator's environment. */
export function platformSecrets(platform: Variables): readonly string[] {
  return Object.entries(platform).flatMap(([name, value = ""]) => {
    if (!sharedPrefixes.some((prefix) => name.startsWith(prefix))) return [];
    if (name.endsWith("_PASSWORD")) return [value];
    return name.endsWith("_URL") && URL.canParse(value) ? [new URL(value).password] : [];
  });
}

function graphqlUrlOf(platform: Variables): string | undefined {
  return platform["APPSERVER_GRAPHQL_HTTP"] ?? platform["APPSERVER_GRAPHQL_URL"];
}

function databaseOf(access: ServerAccess): Variables {
  if (access.isolation === "shared") return {};
  const { host, port, database, user, password } = access.login;
  return {
    APPSERVER_DB_HOST: host,
    APPSERVER_DB_PORT: String(port),
    APPSERVER_DB_NAME: database,
    APPSERVER_DB_USER: user,
    APPSERVER_DB_PASSWORD: password,
  };
}

/** Returns what an OpenTelemetry SDK reads, if the platform sends traces. Headers and credentials of the collector stay here. */
function telemetryOf(
  { [collectorVariable]: endpoint }: Variables,
  { name, version }: EnvironmentSource["app"],
): Readonly<Record<string, string>> {
  if (!endpoint) return {};
  const { username, password } = new URL(endpoint);
  if (username || password) return {};
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_SERVICE_NAME: name,
    OTEL_RESOURCE_ATTRIBUTES: `service.version=${encodeURIComponent(version)}`,
  };
}

function isPassedOn(name: string, access: ServerAccess): boolean {
  if (passedNames.includes(name)) return true;
  if (access.isolation === "shared") return sharedPrefixes.some((prefix) => name.startsWith(prefix));
  return name in databaseVariables || (access.redis && name.startsWith(redisPrefix));
}
