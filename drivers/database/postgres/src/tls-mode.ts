import type { ConnectionOptions } from "node:tls";

/** Values of APPSERVER_DB_SSLMODE (docs/reference/settings.md#database), with libpq's meaning. */
export type TlsMode = "disable" | "require" | "verify-ca" | "verify-full";

export interface TlsSettings {
  readonly mode: TlsMode;
  /** PEM of the authority to trust; default the system's. */
  readonly rootCertificate?: string | undefined;
  /** PEM of the client's own certificate and key, for servers that ask for them. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * TLS of a connection: `require` encrypts without asking who answers, `verify-ca` asks for the authority but not for the
 * name, `verify-full` for both. False for none.
 */
export function tlsOptions(settings: TlsSettings): false | ConnectionOptions {
  const { mode, rootCertificate: ca, certificate: cert, key } = settings;
  if (mode === "disable") return false;
  const given = { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
  if (mode === "require") return { ...given, rejectUnauthorized: false };
  if (mode === "verify-ca") return { ...given, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { ...given, rejectUnauthorized: true };
}
