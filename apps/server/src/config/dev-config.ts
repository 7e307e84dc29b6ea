import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Configuration, type ReadFile, readConfiguration } from "@appserver/options";
import { knownNames } from "@appserver/options/sections";
import { devSchema, type devSections } from "./dev-schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;

/** The configuration of `appserver dev`. */
export interface DevConfig {
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Absolute path. */
  readonly dataDir: string;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly dockerSocketPath: string;
  readonly containers: "process" | "docker";
  /** Whether the sample apps are registered and installed. */
  readonly examples: boolean;
  /** Unusual options that do not prevent a start, for the terminal. */
  readonly warnings: readonly string[];
}

/** Reads flags, environment and the file of `-c`. Throws ConfigError with one line for each wrong value. */
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

/** Reads the configuration like {@link readDevConfig}, with the source of each value. */
export function readDevConfiguration(
  flags: Flags,
  environment: Environment,
  readFile: ReadFile,
): Configuration<typeof devSections> {
  return readConfiguration(devSchema, { flags, environment, readFile }, knownNames);
}
