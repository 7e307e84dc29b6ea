import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Family } from "@appserver/driver";
import { ConfigError, type Configuration, flagsOf, printConfiguration, type ReadFile, type Sections } from "@appserver/options";
import { allSections } from "@appserver/options/sections";
import { appDatabaseRules, inspectAppDatabases } from "../compose/app-database-connections.ts";
import { inspectAppNetworks } from "../compose/app-networks.ts";
import { readDevConfiguration } from "../config/dev-config.ts";
import { devSchema } from "../config/dev-schema.ts";
import type { DriverCatalogue, DriverSchema } from "../config/drivers/driver-catalogue.ts";
import { loadDrivers } from "../config/drivers/load-drivers.ts";
import { optionsReference } from "../config/options-reference.ts";
import { orchestrateSchema } from "../config/orchestrate-schema.ts";
import {
  type OrchestratorConfig,
  readOrchestrateConfiguration,
  readOrchestratorConfig,
} from "../config/orchestrator-config.ts";
import { orchestrateRefusals } from "../config/orchestrator-refusals.ts";
import { readServeConfiguration } from "../config/serve-config.ts";
import { serveSchema } from "../config/serve-schema.ts";
import { readUpConfiguration } from "../config/up-config.ts";
import { upSchema } from "../config/up-schema.ts";
import { refuseWords, UsageError } from "../usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface ConfiguredProcess {
  readonly schema: DriverSchema<Sections, Family>;
  readonly read: (
    flags: Readonly<Record<string, unknown>>,
    environment: Environment,
    readFile: ReadFile,
    catalogue: DriverCatalogue,
  ) => Configuration<Sections>;
}

interface Findings {
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
}

const processes: Readonly<Record<string, ConfiguredProcess>> = {
  serve: { schema: serveSchema, read: readServeConfiguration },
  orchestrate: { schema: orchestrateSchema, read: readOrchestrateConfiguration },
  up: { schema: upSchema, read: readUpConfiguration },
  dev: { schema: devSchema, read: readDevConfiguration },
};

const form = "appserver config print|check|options [serve|orchestrate|up|dev] [-c file] [flags of that process]";

/**
 * Runs `appserver config print`, which shows every value that the process would use, with its source and secrets masked, or
 * `appserver config check`, which shows whether the process would start, or `appserver config options`, the reference of all options,
 * those of configured drivers outside of the platform included. Checking `orchestrate` connects to the database servers, and
 * tries whether the container engine keeps apps apart. Returns the exit code, 1 for an invalid configuration.
 * Throws UsageError for invalid arguments.
 */
export async function runConfigCommand(
  args: readonly string[],
  environment: Environment,
  write: (text: string) => void,
  readFile: ReadFile = readFileSync,
): Promise<number> {
  const { action, process, schema, read, flags } = readArguments(args);
  try {
    const catalogue = await loadDrivers(schema, { flags, environment, readFile });
    if (action === "options") {
      write(optionsReference(catalogue).trimStart());
      return 0;
    }
    const configuration = read(flags, environment, readFile, catalogue);
    if (action === "print") {
      write(printConfiguration(configuration));
      return 0;
    }
    const config = process === "orchestrate" ? readOrchestratorConfig(environment, flags, readFile, catalogue) : undefined;
    const { refusals, warnings } = config ? await inspect(config) : { refusals: [], warnings: [] };
    write(warningLines([...configuration.warnings, ...warnings]));
    write(refusals.length > 0 ? refused(process, refusals) : `The configuration of ${process} is valid.\n`);
    if (config && refusals.length === 0) write(accessRules(config));
    return refusals.length > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    write(`${error.message}\n`);
    return 1;
  }
}

function readArguments(args: readonly string[]) {
  const { positionals, values: flags } = parsed(args);
  const [action = "", process = "serve"] = positionals;
  const known = Object.hasOwn(processes, process) ? processes[process] : undefined;
  const isAction = ["print", "check", "options"].includes(action);
  refuseWords(positionals.slice(isAction ? (known ? 2 : 1) : 0), form);
  if (!isAction || !known) throw new UsageError(`expected: ${form}`);
  return { action, process, ...known, flags };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, allowNegative: true, options: flagsOf(allSections) });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\nexpected: ${form}`);
  }
}

/** Returns the reasons why `appserver orchestrate` would refuse to start, each with its remedy, and warnings. */
async function inspect(config: OrchestratorConfig): Promise<Findings> {
  const refusals = orchestrateRefusals(config, config.environment);
  const [databases, networks] = await Promise.all([inspectAppDatabases(config), inspectAppNetworks(config)]);
  return {
    refusals: [...refusals.map(({ text, remedy }) => `${text}: set ${remedy}`), ...databases.refusals],
    warnings: [...databases.warnings, ...networks],
  };
}

function refused(process: string, refusals: readonly string[]): string {
  return [`appserver ${process} would refuse to start:`, ...refusals.map((refusal) => `  ${refusal}`), ""].join("\n");
}

/** Returns the lines of `pg_hba.conf` that close the databases of other owners to apps (docs/interface/containers.md#isolation). */
function accessRules(config: OrchestratorConfig): string {
  if (config.containers.isolation === "shared") return "";
  const { lines, after } = appDatabaseRules(config);
  return [
    `So that an app reaches no other database of the server, put these lines into pg_hba.conf, after rules for ${after.join(" and ")}`,
    "and before rules for all other roles:",
    ...lines.map((line) => `  ${line}`),
    "",
  ].join("\n");
}

function warningLines(warnings: readonly string[]): string {
  return warnings.map((warning) => `warning: ${warning}\n`).join("");
}
