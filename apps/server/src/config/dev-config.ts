import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Configuration, type ReadFile, readConfiguration } from "@appserver/configuration";
import { knownNames } from "@appserver/configuration/sections";
import { devSchema, type devSections } from "./dev-schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;

/** What `appserver dev` runs with. */
export interface DevConfig {
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Absolute. */
  readonly dataDir: string;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly dockerSocketPath: string;
  readonly containers: "process" | "docker";
  /** Whether the sample apps are registered and installed. */
  readonly examples: boolean;
  /** For the terminal: what is odd, but keeps nothing from starting. */
  readonly warnings: readonly string[];
}

/** Reads flags, environment and the file of `-c`; throws ConfigError with one line for each wrong value. */
export function readDevConfig(flags: Flags, environment: Environment, readFile: ReadFile = readFileSync): DevConfig {
  const { values, warnings } = readDevConfiguration(flags, environment, readFile);
  const { server, telemetry, docker, dev } = values;
  return Object.freeze({
    ...server,
    logLevel: telemetry.logLevel,
    dockerSocketPath: docker.socketPath,
    ...dev,
    dataDir: resolve(dev.dataDir),
    warnings,
  });
}

/** As {@link readDevConfig}, with the origin of each value. */
export function readDevConfiguration(
  flags: Flags,
  environment: Environment,
  readFile: ReadFile,
): Configuration<typeof devSections> {
  return readConfiguration(devSchema, { flags, environment, readFile }, knownNames);
}
