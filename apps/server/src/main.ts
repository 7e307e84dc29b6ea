import { parseArgs } from "node:util";
import { AppError, messageOf, StartError } from "@appserver/kernel";
import { ContainerError } from "@appserver/kernel/ports";
import { ConfigError, flagsOf } from "@appserver/options";
import { allSections } from "@appserver/options/sections";
import { loadDevConfig, loadOrchestratorConfig } from "./config/load-config.ts";
import { refuseDevWords } from "./dev/npm-start.ts";
import { untilStopped } from "./until-stopped.ts";
import { refuseWords, UsageError } from "./usage-error.ts";
import { platformVersion } from "./version.ts";

/** Errors whose message names the problem and the remedy. They are printed without a stack trace. */
const explained = [AppError, ConfigError, StartError, ContainerError, UsageError];

const commonFlags = {
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
} as const;

/** Of `appserver accounts invite`. */
const inviteFlags = { admin: { type: "boolean" }, email: { type: "string" }, name: { type: "string" } } as const;

/** Of `appserver authz move` and `appserver database move`. */
const moveFlags = { to: { type: "string" }, undo: { type: "boolean" } } as const;

async function main(): Promise<void> {
  const { positionals, values, withoutCommand } = await readArguments(process.argv.slice(2));
  const [given = "help", ...rest] = positionals;
  if (values.help) return help(given === "help" ? rest[0] : given);
  const command = values.version ? "version" : given;
  switch (command) {
    case "dev":
      refuseDevWords(rest, process.env);
      return dev(values.flags);
    case "serve": {
      refuseWords(rest, "appserver serve [options]");
      const { serve } = await import("./commands/serve.ts");
      return serve(values.flags, process.env);
    }
    case "orchestrate":
      refuseWords(rest, "appserver orchestrate [options]");
      return orchestrate(values.flags);
    case "engine-guard":
      return (await import("./commands/engine-guard.ts")).engineGuard(rest);
    case "migrate":
      refuseWords(rest, "appserver migrate [options]");
      process.exitCode = await (await import("./commands/admin.ts")).migrate(values.flags, process.env, write);
      return;
    case "authz":
      process.exitCode = await (await import("./commands/admin.ts")).authz(rest, values.to, values.flags, process.env, write);
      return;
    case "accounts":
      process.exitCode = await (await import("./commands/accounts.ts")).accounts(
        rest,
        values.invited,
        values.flags,
        process.env,
        write,
      );
      return;
    case "database":
      process.exitCode = await (await import("./commands/database.ts")).database(
        rest,
        values,
        values.flags,
        process.env,
        write,
      );
      return;
    case "settings":
      process.exitCode = await (await import("./commands/settings.ts")).settings(rest, values.flags, process.env, write);
      return;
    case "config":
      process.exitCode = await (await import("./commands/config.ts")).runConfigCommand(withoutCommand, process.env, write);
      return;
    case "version":
      if (!values.version) refuseWords(rest, "appserver version");
      console.log(platformVersion);
      return;
    case "help":
      refuseWords(rest.slice(1), "appserver help [command]");
      return help(rest[0]);
    default:
      throw new UsageError(`${JSON.stringify(command)} is not a command.\n\n${(await import("./usage.ts")).usage}`);
  }
}

async function readArguments(args: readonly string[]) {
  try {
    const { positionals, values, tokens } = parseArgs({
      args: [...args],
      tokens: true,
      allowPositionals: true,
      allowNegative: true,
      options: { ...flagsOf(allSections), ...commonFlags, ...inviteFlags, ...moveFlags },
    });
    const { help = false, version = false, admin, email, name, to, undo, ...flags } = values;
    const invited = {
      ...(admin !== undefined && { admin }),
      ...(email !== undefined && { email }),
      ...(name !== undefined && { name }),
    };
    const [stray] = positionals[0] === "accounts" ? [] : Object.keys(invited);
    if (stray !== undefined) throw new Error(`--${stray} is a flag of appserver accounts invite`);
    if (to !== undefined && positionals[0] !== "authz" && positionals[0] !== "database")
      throw new Error("--to is a flag of appserver authz move and of appserver database move");
    if (undo !== undefined && positionals[0] !== "database") throw new Error("--undo is a flag of appserver database move");
    const command = tokens.find(({ kind }) => kind === "positional")?.index;
    const withoutCommand = args.filter((_, index) => index !== command);
    return { positionals, values: { help, version, flags, invited, to, undo }, withoutCommand };
  } catch (error) {
    throw new UsageError(`${messageOf(error)}\n\n${(await import("./usage.ts")).usage}`);
  }
}

async function help(command: string | undefined): Promise<void> {
  const { usage, usageOf } = await import("./usage.ts");
  const text = command === undefined ? usage : usageOf(command);
  if (text === undefined) throw new UsageError(`${JSON.stringify(command)} is not a command.\n\n${usage}`);
  write(text);
}

async function dev(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const config = await loadDevConfig(flags, process.env);
  for (const warning of config.warnings) console.error(`warning: ${warning}`);
  console.log(`Appserver ${platformVersion} starts in ${config.dev.dataDir}`);
  // Loading takes seconds on a busy machine, and a signal during it must end the process in order.
  await untilStopped(async (signal) => {
    const { runDev } = await import("./dev/run-dev.ts");
    return await runDev(config, (line) => console.log(line), signal);
  });
}

async function orchestrate(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const config = await loadOrchestratorConfig(flags, process.env);
  for (const warning of config.warnings) console.error(`warning: ${warning}`);
  await untilStopped(async (signal) => {
    const { composeOrchestrator } = await import("./compose/orchestrator.ts");
    return await composeOrchestrator(config, { signal });
  });
}

function write(text: string): void {
  process.stdout.write(text);
}

try {
  await main();
} catch (error) {
  const isExplained = explained.some((kind) => error instanceof kind);
  console.error(isExplained ? `appserver: ${messageOf(error)}` : error);
  process.exit(error instanceof UsageError ? 2 : 1);
}
