import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Endpoint } from "@appserver/driver";
import {
  ConfigError,
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
import { type ServeConfig, type ServeValues, serveConfigOf } from "./serve-config.ts";
import { upSchema, type upSections, usesAcme } from "./up-schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;
type UpValues = Values<typeof upSections>;

/** The configuration of `appserver up` (docs/reference/options.md), one object for each section. `up.dataDir` is absolute. */
export interface UpConfig extends Omit<UpValues, "data" | "up"> {
  readonly up: UpValues["up"] & { readonly dataDir: string };
  readonly drivers: ChosenDrivers<(typeof upSchema.families)[number]>;
  /** The servers of the drivers, which backends of apps must not reach. */
  readonly driverEndpoints: readonly Endpoint[];
  /** Unusual options that do not prevent a start. */
  readonly warnings: readonly string[];
  /** Every option with its source, secrets masked. */
  readonly report: readonly OptionReport[];
  /** The environment, completed by flags and files. */
  readonly environment: Environment;
}

/** What the data folder has, and where its parts can be reached. */
export interface LocalParts {
  readonly database: Pick<ServeValues["database"], "host" | "port" | "user" | "password" | "name">;
  /** Newest first. */
  readonly encryptionKeys: readonly NamedKey[];
  /** Undefined if this process does not end TLS. */
  readonly certificate: Pick<ServeValues["server"], "tlsCertFile" | "tlsKeyFile"> | undefined;
  readonly imageFolder: string;
}

/** Reads flags, environment and the file of `-c`. Throws ConfigError with one line for each wrong value. */
export function readUpConfig(
  flags: Flags,
  environment: Environment,
  readFile: ReadFile = readFileSync,
  catalogue: DriverCatalogue = builtInDrivers,
  exists: (path: string) => boolean = existsSync,
): UpConfig {
  const configuration = readUpConfiguration(flags, environment, readFile, catalogue);
  const { warnings, options: report } = configuration;
  const { data, ...values } = withRuntime(configuration.values, exists);
  return Object.freeze({
    ...values,
    up: Object.freeze({ ...values.up, dataDir: resolve(data.dir) }),
    drivers: chosenDrivers(upSchema, values, catalogue),
    driverEndpoints: endpointsOfDrivers(upSchema, values, catalogue),
    warnings,
    report,
    environment: configuration.environment,
  });
}

/** Reads the configuration like {@link readUpConfig}, with the source of each value. */
export function readUpConfiguration(
  flags: Flags,
  environment: Environment,
  readFile: ReadFile,
  catalogue: DriverCatalogue,
): Configuration<typeof upSections> {
  return readConfiguration(withDrivers(upSchema, catalogue), { flags, environment, readFile }, knownNames(catalogue));
}

/** Chooses what runs the apps, unless that is configured. Throws ConfigError if there is no engine and processes are not allowed. */
function withRuntime(values: UpValues, exists: (path: string) => boolean): UpValues {
  if (values.containers.driver !== undefined) return values;
  const socketPath = String(
    (values as { readonly "containers/docker"?: { readonly socketPath?: unknown } })["containers/docker"]?.socketPath,
  );
  if (exists(socketPath)) return { ...values, containers: { ...values.containers, driver: "docker" } };
  if (values.up.allowProcesses) return { ...values, containers: { ...values.containers, driver: "process" } };
  throw new ConfigError(
    `There is no container engine at ${socketPath}. Install Docker, or name its socket with APPSERVER_DOCKER_SOCKET_PATH. ` +
      "With --allow-processes apps run as processes of this user: they can read the data folder and each other.",
  );
}

/** Returns whether this process ends TLS. */
export function endsTls(config: Pick<UpConfig, "acme" | "server">): boolean {
  return usesAcme(config) || config.server.tlsCertFile !== undefined;
}

/** Returns the port of browsers: that of the public URL, unless a proxy in front of this process ends TLS. */
export function httpPortOf(config: Pick<UpConfig, "acme" | "server">): number {
  const { httpPort, publicUrl } = config.server;
  if (httpPort !== undefined) return httpPort;
  const { protocol, port } = new URL(publicUrl);
  if (protocol === "https:" && !endsTls(config)) return behindProxyPort;
  return port === "" ? defaultPorts[protocol as keyof typeof defaultPorts] : Number(port);
}

const behindProxyPort = 8080;
const defaultPorts = { "http:": 80, "https:": 443 } as const;

/** Host and port at which the container engine of this machine reaches the platform's registry. */
export function registryAddressOf({ registry, up }: Pick<UpConfig, "registry" | "up">): string {
  return registry.address ?? `127.0.0.1:${up.internalPort}`;
}

/** Returns the configuration of the server in this process. */
export function serveConfigOfUp(config: UpConfig, local: LocalParts): ServeConfig {
  const { drivers, driverEndpoints, warnings, report, server, database, registry } = config;
  const values: ServeValues = {
    ...config,
    server: {
      ...server,
      httpPort: httpPortOf(config),
      workers: 1,
      tlsEnabled: local.certificate !== undefined,
      tlsCertFile: local.certificate?.tlsCertFile,
      tlsKeyFile: local.certificate?.tlsKeyFile,
      // Only apps on this machine use its port. Others reach gRPC at the port of HTTP.
      grpcTlsEnabled: false,
      grpcClientCertificates: "off",
    },
    acme: { ...config.acme, enabled: false, folder: "" },
    database: { ...database, ...local.database },
    settingsEncryption: { encryptionKey: undefined, encryptionKeys: local.encryptionKeys },
    containers: { ...config.containers, driver: drivers.containers.choice },
    registry: { ...registry, folder: local.imageFolder, address: registryAddressOf(config) },
  };
  return serveConfigOf(values, { drivers, driverEndpoints, warnings, report });
}
