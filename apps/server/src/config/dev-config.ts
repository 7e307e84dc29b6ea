import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Configuration, type OptionReport, type ReadFile, readConfiguration, type Values } from "@appserver/options";
import { knownNames } from "@appserver/options/sections";
import { devSchema, type devSections } from "./dev-schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;

/** The configuration of `appserver dev` (docs/reference/options.md), one object for each section. `dev.dataDir` is absolute. */
export interface DevConfig extends Values<typeof devSections> {
  /** Unusual options that do not prevent a start, for the terminal. */
  readonly warnings: readonly string[];
  /** Every option with its source, secrets masked. */
  readonly report: readonly OptionReport[];
}

/** Reads flags, environment and the file of `-c`. Throws ConfigError with one line for each wrong value. */
export function readDevConfig(flags: Flags, environment: Environment, readFile: ReadFile = readFileSync): DevConfig {
  const { values, warnings, options: report } = readDevConfiguration(flags, environment, readFile);
  const dev = Object.freeze({ ...values.dev, dataDir: resolve(values.dev.dataDir) });
  return Object.freeze({ ...values, dev, warnings, report });
}

/** Reads the configuration like {@link readDevConfig}, with the source of each value. */
export function readDevConfiguration(
  flags: Flags,
  environment: Environment,
  readFile: ReadFile,
): Configuration<typeof devSections> {
  return readConfiguration(devSchema, { flags, environment, readFile }, knownNames);
}
