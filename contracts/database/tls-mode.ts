import type { ConnectionOptions } from "node:tls";

/** Values of APPSERVER_DB_SSLMODE (docs/reference/options.md#database) and of `sslmode` in a URL, with libpq's meaning. */
export const tlsModes = ["disable", "require", "verify-ca", "verify-full"] as const;
export type TlsMode = (typeof tlsModes)[number];

export interface TlsSettings {
  readonly mode: TlsMode;
  /** PEM of the authority to trust; default the system's. */
  readonly rootCertificate?: string | undefined;
  /** PEM of the client's certificate and key, for servers that require them. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Returns the TLS options of a connection. `require` encrypts without verification, `verify-ca` verifies the authority but not
 * the host name, `verify-full` both. False for no TLS.
 */
export function tlsOptions(settings: TlsSettings): false | ConnectionOptions {
  const { mode, rootCertificate: ca, certificate: cert, key } = settings;
  if (mode === "disable") return false;
  const given = { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
  if (mode === "require") return { ...given, rejectUnauthorized: false };
  if (mode === "verify-ca") return { ...given, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { ...given, rejectUnauthorized: true };
}
