import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { AppError, expectedError, messageOf, StartError } from "@appserver/kernel";
import { ContainerError } from "@appserver/kernel/ports";
import { ConfigError, flagsOf } from "@appserver/options";
import { allSections } from "@appserver/options/sections";
import type { BackupFlags } from "./commands/backup.ts";
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

/** Of `appserver backup` and `appserver restore`. */
const backupFlags = {
  "passphrase-file": { type: "string" },
  recipient: { type: "string", multiple: true },
  "identity-file": { type: "string" },
  "dry-run": { type: "boolean" },
  test: { type: "boolean" },
  "without-images": { type: "boolean" },
  app: { type: "string" },
} as const;

/** Of `appserver up`. */
const upFlags = { show: { type: "boolean" }, databases: { type: "boolean" } } as const;

const takesTarget: ReadonlySet<string> = new Set(["authz", "database", "backup"]);

/** They take `--data`: the folder of a platform on this machine. */
const operatorCommands = new Set(["migrate", "authz", "accounts", "database", "settings", "backup"]);

async function main(): Promise<void> {
  const { positionals, values, withoutCommand } = await readArguments(process.argv.slice(2));
  const [given = "help", ...rest] = positionals;
  if (values.help) return help(given === "help" ? rest[0] : given);
  const command = values.version ? "version" : given;
  const { flags, environment, dataDir } = await optionsOf(command, values.flags, values.backup);
  const on = { dataDir, flags, environment };
  switch (command) {
    case "up":
      refuseWords(rest, "appserver up [options]");
      return (await import("./commands/up.ts")).up(flags, values.up, environment);
    case "dev":
      refuseDevWords(rest, process.env);
      return dev(flags);
    case "serve": {
      refuseWords(rest, "appserver serve [options]");
      const { serve } = await import("./commands/serve.ts");
      return serve(flags, environment);
    }
    case "orchestrate":
      refuseWords(rest, "appserver orchestrate [options]");
      return orchestrate(flags);
    case "engine-guard":
      return (await import("./commands/engine-guard.ts")).engineGuard(rest);
    case "migrate":
      refuseWords(rest, "appserver migrate [options]");
      process.exitCode = await (await import("./commands/admin.ts")).migrate(flags, environment, write);
      return;
    case "authz":
      process.exitCode = await (await import("./commands/admin.ts")).authz(rest, values.to, flags, environment, write);
      return;
    case "accounts":
      process.exitCode = await (await import("./commands/accounts.ts")).accounts(
        rest,
        values.invited,
        flags,
        environment,
        write,
      );
      return;
    case "database":
      process.exitCode = await (await import("./commands/database.ts")).database(rest, values, flags, environment, write);
      return;
    case "settings":
      process.exitCode = await (await import("./commands/settings.ts")).settings(rest, flags, environment, write, dataDir);
      return;
    case "backup": {
      const { to } = values;
      const backupOptions = { ...values.backup, ...(to !== undefined && { to }) };
      if (rest[0] === "list") {
        const { listBackups } = await import("./commands/list-backups.ts");
        process.exitCode = await listBackups(rest.slice(1), backupOptions, on, write);
        return;
      }
      process.exitCode = await (backupOptions.app === undefined
        ? (await import("./commands/backup.ts")).backup(rest, backupOptions, on, write)
        : (await import("./commands/app-file.ts")).backupApp(rest, backupOptions, on, write));
      return;
    }
    case "restore":
      if (values.backup.test) {
        const { testRestore } = await import("./commands/test-restore.ts");
        process.exitCode = await testRestore(rest, values.backup, on, write);
        return;
      }
      process.exitCode = await (values.backup.app === undefined
        ? (await import("./commands/backup.ts")).restore(rest, values.backup, on, write)
        : (await import("./commands/app-file.ts")).restoreApp(rest, values.backup, on, write));
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

/** Returns the options of a command. With `--data` those of operators have the options of the platform in that folder, too. */
async function optionsOf(command: string, given: Readonly<Record<string, unknown>>, { app, test }: BackupFlags) {
  const { data, ...flags } = given;
  const ofPlatform = command === "restore" && (app !== undefined || test === true);
  if (command === "restore" && typeof data === "string" && !ofPlatform)
    return { flags, environment: process.env, dataDir: resolve(data) };
  if (typeof data !== "string" || !(operatorCommands.has(command) || ofPlatform))
    return { flags: given, environment: process.env };
  const { withOperatorOptions } = await import("./data-folder/operator-options.ts");
  return { flags, environment: await withOperatorOptions(data, process.env), dataDir: data };
}

async function readArguments(args: readonly string[]) {
  try {
    const { positionals, values, tokens } = parseArgs({
      args: [...args],
      tokens: true,
      allowPositionals: true,
      allowNegative: true,
      options: { ...flagsOf(allSections), ...commonFlags, ...inviteFlags, ...moveFlags, ...upFlags, ...backupFlags },
    });
    const { help = false, version = false, admin, email, name, to, undo, show, databases, ...options } = values;
    const { backup, flags } = splitFlags(options);
    const up = { ...(show && { show }), ...(databases && { databases }) };
    const invited = {
      ...(admin !== undefined && { admin }),
      ...(email !== undefined && { email }),
      ...(name !== undefined && { name }),
    };
    const [stray] = positionals[0] === "accounts" ? [] : Object.keys(invited);
    if (stray !== undefined) throw new Error(`--${stray} is a flag of appserver accounts invite`);
    if (to !== undefined && !takesTarget.has(positionals[0] ?? ""))
      throw new Error("--to is a flag of appserver authz move, of appserver database move and of appserver backup");
    if (undo !== undefined && positionals[0] !== "database") throw new Error("--undo is a flag of appserver database move");
    const [ofBackups] = positionals[0] === "backup" || positionals[0] === "restore" ? [] : Object.keys(backup);
    if (ofBackups !== undefined) throw new Error(`--${ofBackups} is a flag of appserver backup or appserver restore`);
    const [other] = positionals[0] === "up" ? [] : Object.keys(up);
    if (other !== undefined) throw new Error(`--${other} is a flag of appserver up`);
    const command = tokens.find(({ kind }) => kind === "positional")?.index;
    const withoutCommand = args.filter((_, index) => index !== command);
    return { positionals, values: { help, version, flags, invited, to, undo, up, backup }, withoutCommand };
  } catch (error) {
    throw new UsageError(`${messageOf(error)}\n\n${(await import("./usage.ts")).usage}`);
  }
}

/** Separates the flags of backups from those of options. */
function splitFlags(given: Readonly<Record<string, unknown>>) {
  const isOfBackups = ([name, value]: readonly [string, unknown]): boolean => name in backupFlags && value !== undefined;
  const entries = Object.entries(given);
  return {
    backup: Object.fromEntries(entries.filter(isOfBackups)) as BackupFlags,
    flags: Object.fromEntries(entries.filter((entry) => !isOfBackups(entry))),
  };
}

async function help(command: string | undefined): Promise<void> {
  const { usage, usageOf } = await import("./usage.ts");
  const text = command === undefined ? usage : usageOf(command);
  if (text === undefined) throw new UsageError(`${JSON.stringify(command)} is not a command.\n\n${usage}`);
  write(text);
}

async function dev(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const { exampleApps } = await import("./dev/example-apps.ts");
  if (!exampleApps.every(({ folder }) => existsSync(folder)))
    throw new StartError(
      "appserver dev needs a clone of the repository, which has its sample apps. This package has appserver up.",
    );
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
  const isExplained = explained.some((kind) => error instanceof kind) || expectedError(error)?.code === "SERVICE_UNAVAILABLE";
  console.error(isExplained ? `appserver: ${messageOf(error)}` : error);
  process.exit(error instanceof UsageError ? 2 : 1);
}
