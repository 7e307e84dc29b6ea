/** Grammar of the names of environment variables that an app declares (POSIX.1-2017, 8.1, portable names). */
export const environmentNameGrammar = "[A-Z_][A-Z0-9_]*";
export const environmentNameLimit = 128;

const pattern = new RegExp(`^${environmentNameGrammar}$`);

/** Names that the platform sets, or that decide which program runs in the container. */
const reservedNames: ReadonlySet<string> = new Set([
  "APP_ID",
  "APP_NAME",
  "APP_IDENTITY_DIR",
  "PORT",
  "HOST",
  "HOSTNAME",
  "DATA_DIR",
  "DATABASE_URL",
  "PGHOST",
  "PGPORT",
  "PGDATABASE",
  "PGUSER",
  "PGPASSWORD",
  "PGSSLMODE",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_PROTOCOL",
  "OTEL_SERVICE_NAME",
  "OTEL_RESOURCE_ATTRIBUTES",
  "NODE_ENV",
  "NODE_OPTIONS",
  "NODE_PATH",
  "PATH",
  "HOME",
  "SHELL",
  "ENV",
  "BASH_ENV",
]);
const reservedPrefixes = ["APPSERVER_", "APP_STORAGE_", "DB_", "UPSTREAM_", "LD_", "DYLD_"];

/** Returns whether an app may not declare a variable of this name (docs/interface/manifest.md#environment). */
export function isReservedEnvironmentName(name: string): boolean {
  return reservedNames.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix));
}

export function isEnvironmentName(name: string): boolean {
  return name.length <= environmentNameLimit && pattern.test(name);
}
