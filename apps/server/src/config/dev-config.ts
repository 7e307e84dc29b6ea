import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Endpoint } from "@appserver/driver";
import { type Configuration, type OptionReport, type ReadFile, readConfiguration, type Values } from "@appserver/options";
import { devSchema, type devSections } from "./dev-schema.ts";
import { builtInDrivers } from "./drivers/built-in-drivers.ts";
import {
  type ChosenDrivers,
  chosenDrivers,
  type DriverCatalogue,
  endpointsOfDrivers,
  withDrivers,
} from "./drivers/driver-catalogue.ts";
import { knownNames } from "./drivers/option-sections.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;

type DevValues = Values<typeof devSections>;

/** The configuration of `appserver dev` (docs/reference/options.md), one object for each section. `dev.dataDir` is absolute. */
export interface DevConfig extends Omit<DevValues, "data" | "dev"> {
  readonly dev: DevValues["dev"] & { readonly dataDir: string };
  readonly drivers: ChosenDrivers<(typeof devSchema.families)[number]>;
  /** The servers of the drivers, which backends of apps must not reach. */
  readonly driverEndpoints: readonly Endpoint[];
  /** Unusual options that do not prevent a start, for the terminal. */
  readonly warnings: readonly string[];
  /** Every option with its source, secrets masked. */
  readonly report: readonly OptionReport[];
}

/** Reads flags, environment and the file of `-c`. Throws ConfigError with one line for each wrong value. */
export function readDevConfig(
  flags: Flags,
  environment: Environment,
  readFile: ReadFile = readFileSync,
  catalogue: DriverCatalogue = builtInDrivers,
): DevConfig {
  const { values, warnings, options: report } = readDevConfiguration(flags, environment, readFile, catalogue);
  const { data, ...rest } = values;
  const dev = Object.freeze({ ...rest.dev, dataDir: resolve(data.dir) });
  return Object.freeze({
    ...rest,
    dev,
    drivers: chosenDrivers(devSchema, values, catalogue),
    driverEndpoints: endpointsOfDrivers(devSchema, values, catalogue),
    warnings,
    report,
  });
}

/** Reads the configuration like {@link readDevConfig}, with the source of each value. */
export function readDevConfiguration(
  flags: Flags,
  environment: Environment,
  readFile: ReadFile,
  catalogue: DriverCatalogue,
): Configuration<typeof devSections> {
  return readConfiguration(withDrivers(devSchema, catalogue), { flags, environment, readFile }, knownNames(catalogue));
}
