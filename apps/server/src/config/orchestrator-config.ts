import { readFileSync } from "node:fs";
import { type Configuration, type NamedKey, type ReadFile, readConfiguration, type Values } from "@appserver/options";
import type { OrchestrationOptions } from "@appserver/orchestration";
import { containerOptions } from "./container-options.ts";
import { builtInDrivers } from "./drivers/built-in-drivers.ts";
import { type ChosenDrivers, chosenDrivers, type DriverCatalogue, withDrivers } from "./drivers/driver-catalogue.ts";
import { knownNames } from "./drivers/option-sections.ts";
import { encryptionKeysOf } from "./encryption-keys.ts";
import { orchestrateSchema, type orchestrateSections } from "./orchestrate-schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type OrchestrateValues = Values<typeof orchestrateSections>;

/** The configuration of `appserver orchestrate` (docs/reference/options.md), one object for each part. Frozen. */
export interface OrchestratorConfig {
  readonly areContainersEnabled: boolean;
  readonly isEventBusEnabled: boolean;
  readonly drivers: ChosenDrivers<(typeof orchestrateSchema.families)[number]>;
  readonly backup: OrchestrateValues["backup"];
  readonly broker: OrchestrateValues["broker"];
  readonly database: OrchestrateValues["database"];
  readonly containers: OrchestrateValues["containers"];
  readonly registry: OrchestrateValues["registry"];
  /** Seal the secrets of identities and of settings. The first key encrypts, all keys decrypt. Empty if none is configured. */
  readonly encryptionKeys: readonly NamedKey[];
  /** Port of the metrics endpoint. Undefined if there is no endpoint. */
  readonly metricsPort: number | undefined;
  readonly bindAddress: string;
  readonly logLevel: OrchestrateValues["telemetry"]["logLevel"];
  readonly telemetry: OrchestrateValues["telemetry"];
  readonly options: OrchestrationOptions;
  /** The environment, completed by flags and files. Containers get a part of it (docs/interface/containers.md#environment). */
  readonly environment: Environment;
  /** Unusual options that do not prevent a start, for the log. */
  readonly warnings: readonly string[];
}

/**
 * Reads the configuration: flags win over the environment, the environment over the file of `-c` (the flag `config`), the file
 * over defaults. Throws ConfigError with all problems at once.
 */
export function readOrchestratorConfig(
  environment: Environment,
  flags: Readonly<Record<string, unknown>> = {},
  readFile: ReadFile = readFileSync,
  catalogue: DriverCatalogue = builtInDrivers,
): OrchestratorConfig {
  const configuration = readOrchestrateConfiguration(flags, environment, readFile, catalogue);
  const { values, warnings } = configuration;
  const { database, telemetry } = values;
  return Object.freeze({
    areContainersEnabled: values.orchestrator.containersEnabled,
    isEventBusEnabled: values.orchestrator.eventBusEnabled,
    drivers: chosenDrivers(orchestrateSchema, values, catalogue),
    backup: values.backup,
    broker: values.broker,
    database,
    containers: values.containers,
    registry: values.registry,
    encryptionKeys: encryptionKeysOf(values.settingsEncryption),
    metricsPort: values.orchestrator.metricsPort,
    bindAddress: values.server.bindAddress,
    logLevel: telemetry.logLevel,
    telemetry,
    options: Object.freeze(toOptions(values)),
    environment: configuration.environment,
    warnings,
  });
}

/** Reads the configuration like {@link readOrchestratorConfig}, with the source of each value. */
export function readOrchestrateConfiguration(
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
  readFile: ReadFile,
  catalogue: DriverCatalogue,
): Configuration<typeof orchestrateSections> {
  return readConfiguration(withDrivers(orchestrateSchema, catalogue), { flags, environment, readFile }, knownNames(catalogue));
}

function toOptions({ apps, containers, registry, server }: OrchestrateValues): OrchestrationOptions {
  const { registryUsername: username, registryPassword: password = "" } = containers;
  return {
    instance: server.instance,
    network: containers.networkName,
    registry: containers.registryUrl ?? registry.address ?? "",
    credentials: username === undefined ? undefined : () => ({ username, password }),
    ...containerOptions(containers, apps),
    endpoint: containers.endpoint,
  };
}
