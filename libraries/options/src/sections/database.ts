import { defineSection } from "../schema.ts";
import { duration } from "../types/duration.ts";
import { certificateFile, privateKeyFile } from "../types/file-content.ts";
import { integer, oneOf, port, text } from "../types/plain-types.ts";

/** PostgreSQL (docs/interface/limits.md#dependencies). */
export const databaseSection = defineSection({
  yaml: "database",
  doc: "PostgreSQL 15 or newer. Migrations run at start.",
  options: {
    host: {
      env: "APPSERVER_DB_HOST",
      yaml: "host",
      type: text,
      default: "localhost",
      doc: "Host name, or the folder of a socket",
    },
    port: { env: "APPSERVER_DB_PORT", yaml: "port", type: port, default: "5432", doc: "Port" },
    user: {
      env: "APPSERVER_DB_USER",
      yaml: "user",
      type: text,
      default: "appserver",
      doc: "Role that the platform logs in as",
    },
    password: {
      env: "APPSERVER_DB_PASSWORD",
      yaml: "password",
      type: text,
      required: true,
      secret: true,
      doc: "Password of the role",
    },
    name: { env: "APPSERVER_DB_NAME", yaml: "name", type: text, default: "appserver", doc: "Name of the database" },
    sslMode: {
      env: "APPSERVER_DB_SSLMODE",
      yaml: "sslmode",
      type: oneOf("disable", "require", "verify-ca", "verify-full"),
      default: "disable",
      doc: "`require` encrypts, `verify-ca` also checks the issuer of the server's certificate, `verify-full` also its name",
    },
    sslRootCertFile: {
      env: "APPSERVER_DB_SSL_ROOT_CERT_FILE",
      yaml: "ssl_root_cert_file",
      type: certificateFile,
      doc: "Certificate authorities for the server's certificate. Default: the authorities that Node trusts",
    },
    sslCertFile: {
      env: "APPSERVER_DB_SSL_CERT_FILE",
      yaml: "ssl_cert_file",
      type: certificateFile,
      doc: "Client certificate",
    },
    sslKeyFile: {
      env: "APPSERVER_DB_SSL_KEY_FILE",
      yaml: "ssl_key_file",
      type: privateKeyFile,
      doc: "Private key of the client certificate",
    },
    maxOpenConnections: {
      env: "APPSERVER_DB_MAX_OPEN_CONNECTIONS",
      yaml: "max_open_connections",
      type: integer(1, 10_000),
      default: "25",
      doc: "Maximum number of connections of one process",
    },
    maxIdleConnections: {
      env: "APPSERVER_DB_MAX_IDLE_CONNECTIONS",
      yaml: "max_idle_connections",
      type: integer(0, 10_000),
      default: "5",
      doc: "Maximum number of idle connections",
    },
    connectionLifetimeMs: {
      env: "APPSERVER_DB_CONNECTION_LIFETIME",
      yaml: "connection_lifetime",
      type: duration,
      default: "5m",
      doc: "Age at which a connection is replaced",
    },
    statementTimeoutMs: {
      env: "APPSERVER_DB_STATEMENT_TIMEOUT",
      yaml: "statement_timeout",
      type: duration,
      default: "30s",
      doc: "The server cancels statements that take longer",
    },
  },
});
