export { appAccessRules } from "./app-database-names.ts";
export { EmbeddedPostgres, type EmbeddedPostgresOptions } from "./embedded/embedded-postgres.ts";
export { EmbeddedPostgresError } from "./embedded/embedded-postgres-error.ts";
export { type AppServerInspection, inspectAppServer } from "./inspect-app-server.ts";
export { type DatabaseMoveOptions, type MovedDatabase, moveDatabase, undoMove } from "./move/move-database.ts";
export { PostgresAppDatabases, type PostgresAppDatabasesOptions } from "./postgres-app-databases.ts";
export type { PostgresConnection } from "./postgres-connection.ts";
export { type PoolOptions, PostgresDatabase, type PostgresDatabaseOptions } from "./postgres-database.ts";
export { type TlsMode, type TlsSettings, tlsOptions } from "./tls-mode.ts";
