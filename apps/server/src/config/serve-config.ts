import { hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Endpoint } from "@appserver/driver";
import {
  type Configuration,
  type NamedKey,
  type OptionReport,
  type ReadFile,
  readConfiguration,
  type Values,
} from "@appserver/options";
import { builtInDrivers } from "./drivers/built-in-drivers.ts";
import {
  type ChosenDrivers,
  chosenDrivers,
  type DriverCatalogue,
  endpointsOfDrivers,
  withDrivers,
} from "./drivers/driver-catalogue.ts";
import { knownNames } from "./drivers/option-sections.ts";
import { encryptionKeysOf } from "./encryption-keys.ts";
import { serveSchema, type serveSections } from "./serve-schema.ts";

export type ServeValues = Values<typeof serveSections>;
type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;

/** A certificate with its chain, and its private key, as PEM texts. */
export interface TlsCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The configuration of `appserver serve` (docs/reference/options.md), one object for each section. Frozen. */
export interface ServeConfig extends Omit<ServeValues, "server" | "cache" | "settingsEncryption"> {
  readonly server: ServeValues["server"] & {
    /** Certificate of the HTTP port. Undefined for cleartext. */
    readonly tls: TlsCertificate | undefined;
    /** Certificate of the gRPC port. Undefined for cleartext. */
    readonly grpcTls: TlsCertificate | undefined;
  };
  readonly cache: Omit<ServeValues["cache"], "macKey"> & {
    /** 32 bytes. */
    readonly macKey: Buffer;
  };
  readonly settingsEncryption: {
    /** At least one. The first key encrypts, all keys decrypt. */
    readonly encryptionKeys: readonly NamedKey[];
  };
  readonly drivers: ChosenDrivers<(typeof serveSchema.families)[number]>;
  /** The servers of the drivers, which backends of apps must not reach. */
  readonly driverEndpoints: readonly Endpoint[];
  /** Unusual options that do not prevent a start, for the log. */
  readonly warnings: readonly string[];
  /** Every option with its source, secrets masked. */
  readonly report: readonly OptionReport[];
}

/**
 * Reads the configuration: flags win over the environment, the environment over the file of `-c` (the flag `config`), the file
 * over defaults. Throws ConfigError with all problems at once.
 */
export function readServeConfig(
  flags: Flags,
  environment: Environment,
  readFile: ReadFile = readFileSync,
  catalogue: DriverCatalogue = builtInDrivers,
): ServeConfig {
  const { values, warnings, options: report } = readServeConfiguration(flags, environment, readFile, catalogue);
  return serveConfigOf(values, {
    drivers: chosenDrivers(serveSchema, values, catalogue),
    driverEndpoints: endpointsOfDrivers(serveSchema, values, catalogue),
    warnings,
    report,
  });
}

/** Completes the values of a server. */
export function serveConfigOf(
  values: ServeValues,
  rest: Pick<ServeConfig, "drivers" | "driverEndpoints" | "warnings" | "report">,
): ServeConfig {
  const { server, cache } = values;
  const encryptionKeys = encryptionKeysOf(values.settingsEncryption);
  const certificate = certificateOf(server);
  return Object.freeze({
    ...values,
    ...rest,
    server: Object.freeze({
      ...server,
      allowedOrigins: pageOrigins(server),
      tls: server.tlsEnabled ? certificate : undefined,
      grpcTls: (server.grpcTlsEnabled ?? server.tlsEnabled) ? certificate : undefined,
    }),
    cache: Object.freeze({ ...cache, macKey: cache.macKey ?? derivedMacKey(encryptionKeys) }),
    settingsEncryption: Object.freeze({ encryptionKeys }),
  });
}

/** Reads the configuration like {@link readServeConfig}, with the source of each value. */
export function readServeConfiguration(
  flags: Flags,
  environment: Environment,
  readFile: ReadFile,
  catalogue: DriverCatalogue,
): Configuration<typeof serveSections> {
  return readConfiguration(withDrivers(serveSchema, catalogue), { flags, environment, readFile }, knownNames(catalogue));
}

/**
 * Returns the origins of the platform's own pages and the allowed ones. Behind a proxy that changes scheme, host or port, only
 * the public URL gives the platform's origin.
 */
function pageOrigins({ publicUrl, allowedOrigins }: ServeValues["server"]): readonly string[] {
  return publicUrl === undefined ? allowedOrigins : [new URL(publicUrl).origin, ...allowedOrigins];
}

function certificateOf({ tlsCertFile, tlsKeyFile }: ServeValues["server"]): TlsCertificate | undefined {
  return tlsCertFile && tlsKeyFile && Object.freeze({ cert: tlsCertFile.text, key: tlsKeyFile.text });
}

/**
 * Derives the MAC key from the newest encryption key. During a key rotation, replicas with different keys only miss each
 * other's cache entries.
 */
function derivedMacKey([newest]: readonly NamedKey[]): Buffer {
  if (!newest) throw new Error("the schema demands an encryption key");
  return Buffer.from(hkdfSync("sha256", newest.key, "", "appserver cache entries", 32));
}
