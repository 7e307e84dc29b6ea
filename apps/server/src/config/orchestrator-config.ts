import { readFileSync } from "node:fs";
import { type Configuration, type NamedKey, type ReadFile, readConfiguration, type Values } from "@appserver/options";
import { knownNames } from "@appserver/options/sections";
import type { OrchestrationOptions } from "@appserver/orchestration";
import { containerOptions } from "./container-options.ts";
import { encryptionKeysOf } from "./encryption-keys.ts";
import { orchestrateSchema, type orchestrateSections } from "./orchestrate-schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type OrchestrateValues = Values<typeof orchestrateSections>;

/** The configuration of `appserver orchestrate` (docs/reference/options.md), one object for each part. Frozen. */
export interface OrchestratorConfig {
  readonly isDockerEnabled: boolean;
  readonly isEventBusEnabled: boolean;
  /** Without a driver, a URL alone chooses RabbitMQ. */
  readonly broker: { readonly driver: NonNullable<OrchestrateValues["broker"]["driver"]> };
  readonly rabbitmq: OrchestrateValues["rabbitmq"];
  readonly dockerSocketPath: string;
  readonly database: OrchestrateValues["database"];
  readonly containers: OrchestrateValues["containers"];
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
): OrchestratorConfig {
  const configuration = readOrchestrateConfiguration(flags, environment, readFile);
  const { values, warnings } = configuration;
  const { rabbitmq, docker, database, telemetry } = values;
  return Object.freeze({
    isDockerEnabled: docker.enabled,
    isEventBusEnabled: values.orchestrator.eventBusEnabled,
    broker: Object.freeze({ driver: values.broker.driver ?? (rabbitmq.url === undefined ? "postgres" : "rabbitmq") }),
    rabbitmq,
    dockerSocketPath: docker.socketPath,
    database,
    containers: values.containers,
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
): Configuration<typeof orchestrateSections> {
  return readConfiguration(orchestrateSchema, { flags, environment, readFile }, knownNames);
}

function toOptions({ apps, docker, containers, server }: OrchestrateValues): OrchestrationOptions {
  const { registryUsername: username, registryPassword: password = "" } = docker;
  return {
    instance: server.instance,
    network: docker.networkName,
    registry: docker.registryUrl ?? "",
    credentials: username === undefined ? undefined : { username, password },
    ...containerOptions(docker, apps, containers),
    endpoint: containers.endpoint,
  };
}
