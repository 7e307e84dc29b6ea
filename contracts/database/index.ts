export { type PostgresUrlParts, partsOfUrl, postgresUrl } from "./postgres-url.ts";
export { type TlsMode, type TlsSettings, tlsModes, tlsOptions } from "./tls-mode.ts";
