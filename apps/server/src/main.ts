import { parseArgs } from "node:util";
import { ConfigError, flagOptions } from "@appserver/configuration";
import { allSections } from "@appserver/configuration/sections";
import { readDevConfig } from "./config/dev-config.ts";
import { untilStopped } from "./until-stopped.ts";
import { platformVersion } from "./version.ts";

const usage = `appserver ${platformVersion}

Usage: appserver <command> [options]

Commands:
  dev                         the whole platform on embedded drivers, with sample apps, on 127.0.0.1
    --containers <driver>     process (default) or docker: how apps run
    --no-examples             without the sample apps
  serve                       the application server on production drivers (specification §8)
  orchestrate                 the orchestrator: events in, containers out (environment of specification §8)
  migrate                     make the database's tables current; serve does it at its start, too
  authz bootstrap             make the authorization store, its model and first tuples (specification §5)
  authz grant|revoke|check <user> <relation> <object>
                              write, remove or check one relationship tuple
  settings rotate-key [dev]   encrypt secret settings with the newest key, while servers run; dev: with a new one
  config print [<command>]    every setting of serve (default), orchestrate or dev, and where its value comes from
  config check [<command>]    whether it would start: everything that is wrong, at once
  version                     print the version

Settings come from flags, the environment, the YAML file of -c, and defaults, in this order: docs/reference/settings.md
`;

/** Errors that explain themselves: name → shown without a stack. */
const explained = new Set([
  "AppError",
  "ConfigError",
  "DataFolderError",
  "PortInUseError",
  "EmbeddedPostgresError",
  "ContainerError",
  "ManifestError",
  "ExampleError",
]);

async function main(): Promise<void> {
  const { positionals, values } = readArguments();
  const [command = "help", ...rest] = positionals;
  switch (command) {
    case "dev":
      return dev(values);
    case "serve": {
      const { serve } = await import("./commands/serve.ts");
      return serve(values, process.env);
    }
    case "orchestrate":
      return orchestrate(values);
    case "migrate":
      process.exitCode = await (await import("./commands/admin.ts")).migrate(values, process.env, write);
      return;
    case "authz":
      process.exitCode = await (await import("./commands/admin.ts")).authz(rest, values, process.env, write);
      return;
    case "settings":
      process.exitCode = await (await import("./commands/settings.ts")).settings(rest, values, process.env, write);
      return;
    case "config":
      return config();
    case "version":
      console.log(platformVersion);
      return;
    case "help":
      console.log(usage);
      return;
    default:
      throw new ConfigError(`${JSON.stringify(command)} is no command.\n\n${usage}`);
  }
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      allowNegative: true,
      options: flagOptions(allSections),
    });
  } catch (error) {
    throw new ConfigError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

async function dev(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const config = readDevConfig(flags, process.env);
  for (const warning of config.warnings) console.error(`warning: ${warning}`);
  console.log(`Appserver ${platformVersion} starts in ${config.dataDir}`);
  const { runDev } = await import("./dev/run-dev.ts");
  await untilStopped(() => runDev(config, (line) => console.log(line)));
}

async function orchestrate(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const { readOrchestratorConfig } = await import("@appserver/orchestrator/config");
  const config = readOrchestratorConfig(process.env, flags);
  for (const warning of config.warnings) console.error(`warning: ${warning}`);
  const { composeOrchestrator } = await import("./compose-orchestrator.ts");
  await untilStopped((signal) => composeOrchestrator(config, signal));
}

async function config(): Promise<void> {
  const { runConfigCommand } = await import("./commands/config.ts");
  const args = process.argv.slice(process.argv.indexOf("config") + 1);
  process.exitCode = runConfigCommand(args, process.env, write);
}

function write(text: string): void {
  process.stdout.write(text);
}

try {
  await main();
} catch (error) {
  const known = error instanceof Error && explained.has(error.name);
  console.error(known ? `appserver: ${error.message}` : error);
  process.exit(1);
}
