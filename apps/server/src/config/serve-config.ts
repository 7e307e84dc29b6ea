import { hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Configuration, type NamedKey, type ReadFile, readConfiguration, type Values } from "@appserver/configuration";
import { knownNames } from "@appserver/configuration/sections";
import { defaultKeyId, serveSchema, type serveSections } from "./serve-schema.ts";

type ServeValues = Values<typeof serveSections>;
type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;

/** A certificate with its chain, and its private key, as PEM texts. */
export interface TlsCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The configuration of `appserver serve` (docs/reference/settings.md), one object for each section. Frozen. */
export interface ServeConfig extends Omit<ServeValues, "server" | "cache" | "settings"> {
  readonly server: ServeValues["server"] & {
    /** Of the HTTP port; undefined for cleartext. */
    readonly tls: TlsCertificate | undefined;
    /** Of the gRPC port. */
    readonly grpcTls: TlsCertificate | undefined;
  };
  readonly cache: Omit<ServeValues["cache"], "macKey"> & {
    /** 32 bytes. */
    readonly macKey: Buffer;
  };
  readonly settings: {
    /** At least one; the first encrypts, all decrypt. */
    readonly encryptionKeys: readonly NamedKey[];
  };
  /** For the log: what is odd, but keeps nothing from starting. */
  readonly warnings: readonly string[];
}

/**
 * Flags win over the environment, the environment over the file of `-c` (the flag `config`), the file over defaults. Throws
 * ConfigError with everything that is wrong, at once.
 */
export function readServeConfig(flags: Flags, environment: Environment, readFile: ReadFile = readFileSync): ServeConfig {
  const { values, warnings } = readServeConfiguration(flags, environment, readFile);
  const { server, cache } = values;
  const encryptionKeys = keysOf(values.settings);
  const certificate = certificateOf(server);
  return Object.freeze({
    ...values,
    server: Object.freeze({
      ...server,
      allowedOrigins: pageOrigins(server),
      tls: server.tlsEnabled ? certificate : undefined,
      grpcTls: (server.grpcTlsEnabled ?? server.tlsEnabled) ? certificate : undefined,
    }),
    cache: Object.freeze({ ...cache, macKey: cache.macKey ?? derivedMacKey(encryptionKeys) }),
    settings: Object.freeze({ encryptionKeys }),
    warnings,
  });
}

/** As {@link readServeConfig}, with the origin of each value. */
export function readServeConfiguration(
  flags: Flags,
  environment: Environment,
  readFile: ReadFile,
): Configuration<typeof serveSections> {
  return readConfiguration(serveSchema, { flags, environment, readFile }, knownNames);
}

function keysOf({ encryptionKey, encryptionKeys = [] }: ServeValues["settings"]): readonly NamedKey[] {
  return Object.freeze([...encryptionKeys, ...(encryptionKey ? [{ id: defaultKeyId, key: encryptionKey }] : [])]);
}

/** Behind a proxy that changes scheme, host or port, only the public URL says which pages are the platform's own. */
function pageOrigins({ publicUrl, allowedOrigins }: ServeValues["server"]): readonly string[] {
  return publicUrl === undefined ? allowedOrigins : [new URL(publicUrl).origin, ...allowedOrigins];
}

function certificateOf({ tlsCertFile, tlsKeyFile }: ServeValues["server"]): TlsCertificate | undefined {
  return tlsCertFile && tlsKeyFile && Object.freeze({ cert: tlsCertFile.text, key: tlsKeyFile.text });
}

/** While keys are being changed, replicas with different keys only miss each other's entries. */
function derivedMacKey([newest]: readonly NamedKey[]): Buffer {
  if (!newest) throw new Error("the schema demands an encryption key");
  return Buffer.from(hkdfSync("sha256", newest.key, "", "appserver cache entries", 32));
}
