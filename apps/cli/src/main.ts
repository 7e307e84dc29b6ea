import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { addActivitiesCommands } from "./activities-commands.ts";
import type { FollowFlags } from "./commands/follow-operation.ts";
import type { InstallFlags } from "./commands/install.ts";
import { exitCodes } from "./exit-codes.ts";
import { addHooksCommands } from "./hooks-commands.ts";
import { addLifeCommands } from "./life-commands.ts";
import type { GlobalOptions } from "./platform.ts";
import { addRegistrationCommands } from "./registration-commands.ts";
import { addStorageCommands } from "./storage-commands.ts";
import { addVersionCommands } from "./version-commands.ts";

interface SecretFlags {
  readonly showSecrets: boolean;
}

const environmentHelp = `
Environment:
  APPSERVER_GRPC_URL            address of the platform's gRPC port, if --grpc is not given
  APPSERVER_TOKEN               session token of a user, if --token is not given
  APPSERVER_REGISTRATION_TOKEN  registration token, if --registration-token is not given
  APPSERVER_CA                  file of trusted certificates, if --ca is not given

Exit codes: 0 success, 1 refused or failed, 2 wrong usage, 3 the platform is unreachable.
`;

// Each command loads its modules when it runs, so that help and usage errors are printed quickly.
const program = new Command("appctl")
  .description("The command line of Appserver, for app developers and operators.")
  .option("--grpc <url>", "address of the platform's gRPC port", process.env["APPSERVER_GRPC_URL"] ?? "http://127.0.0.1:9090")
  .option("--token <token>", "session token of a user (ps shows it: prefer APPSERVER_TOKEN)")
  .option("--ca <file>", "PEM certificates to trust in addition to the system's, for an https address")
  .option("--json", "print JSON", false)
  .version(version(), "-V, --version", "print the version")
  .addHelpText("after", environmentHelp)
  .showHelpAfterError("(appctl --help lists the commands)")
  .exitOverride();

/** Returns the flags, completed from the environment. The token is not a default of its flag: help would print it. */
function options(): GlobalOptions {
  const { token = process.env["APPSERVER_TOKEN"], ca = process.env["APPSERVER_CA"], ...rest } = program.opts<GlobalOptions>();
  return { ...rest, ...(token ? { token } : {}), ...(ca ? { ca } : {}) };
}

addRegistrationCommands(program, options, process.env["APPSERVER_REGISTRATION_TOKEN"]);

program
  .command("install")
  .description("install an app and the apps it depends on")
  .argument("<name>")
  .option("--plan <digest>", "digest of the plan that was reviewed; fails if the plan has changed")
  .option("--without-dependencies", "fail if an app that it needs is not installed", false)
  .option("--detach", "do not wait until the app runs", false)
  .action(async (name: string, flags: InstallFlags) => {
    const { installApp } = await import("./commands/install.ts");
    await installApp(options(), name, flags);
  });

program
  .command("approve")
  .description("show the permissions of an app that need an approval, or approve them")
  .argument("<name>")
  .argument("[scope...]", "permissions to approve; without any, show those that need an approval")
  .option("--manifest <digest>", "digest of the manifest that was reviewed; fails if the app has another one")
  .action(async (name: string, scopes: string[], flags: { manifest?: string }) => {
    const { approveApp } = await import("./commands/approve.ts");
    await approveApp(options(), name, scopes, flags.manifest);
  });

program
  .command("uninstall")
  .description("uninstall an app")
  .argument("<name>")
  .option("--purge", "also delete the data that the app stored on the platform", false)
  .action(async (name: string, flags: { purge: boolean }) => {
    const { uninstallApp } = await import("./commands/uninstall.ts");
    await uninstallApp(options(), name, flags.purge);
  });

program
  .command("operation")
  .description("show the progress of an operation until it ends; every command prints or returns the id of its own")
  .argument("<id>")
  .option("--detach", "show it as it is now", false)
  .action(async (id: string, flags: FollowFlags) => {
    const { showOperation } = await import("./commands/operation.ts");
    await showOperation(options(), id, flags);
  });

program
  .command("list")
  .description("list the registered apps")
  .option("--state <state...>", "only apps in these states")
  .action(async (flags: { state?: string[] }) => {
    const { listApps } = await import("./commands/list.ts");
    await listApps(options(), flags.state ?? []);
  });

program
  .command("get")
  .description("show one app")
  .argument("<name>")
  .action(async (name: string) => {
    const { getApp } = await import("./commands/get.ts");
    await getApp(options(), name);
  });

program
  .command("describe")
  .description("show why an app runs or does not run: container, health checks, limits, last crash, storage, transitions")
  .argument("<name>")
  .action(async (name: string) => {
    const { describeApp } = await import("./commands/describe.ts");
    await describeApp(options(), name);
  });

program
  .command("trace")
  .description("show a request with everything that it caused, in all apps: hooks, deliveries, runs, events, log lines")
  .argument("<id>", "request id (X-Request-ID of a response), trace id or traceparent")
  .action(async (id: string) => {
    const { showTrace } = await import("./commands/trace.ts");
    await showTrace(options(), id);
  });

const settings = program.command("settings").description("settings of an app");

settings
  .command("list")
  .description("show every setting, its value and its type")
  .argument("<app>")
  .option("--show-secrets", "print the values of secrets, too", false)
  .action(async (app: string, flags: SecretFlags) =>
    (await settingsCommands()).listSettings(options(), app, flags.showSecrets),
  );

settings
  .command("get")
  .description("print one value")
  .argument("<app>")
  .argument("<key>")
  .option("--show-secrets", "print the value of a secret", false)
  .action(async (app: string, key: string, flags: SecretFlags) =>
    (await settingsCommands()).getSetting(options(), app, key, flags.showSecrets),
  );

settings
  .command("set")
  .description("change the given values. key=@file reads the value from a file, key=- from stdin")
  .argument("<app>")
  .argument("<key=value...>")
  .option("--if-version <number>", "fail if the settings have changed since this version", wholeNumber)
  .action(async (app: string, assignments: string[], flags: { ifVersion?: number }) =>
    (await settingsCommands()).setSettings(options(), app, assignments, flags.ifVersion),
  );

settings
  .command("unset")
  .description("restore the defaults of some settings")
  .argument("<app>")
  .argument("<key...>")
  .option("--if-version <number>", "fail if the settings have changed since this version", wholeNumber)
  .action(async (app: string, keys: string[], flags: { ifVersion?: number }) =>
    (await settingsCommands()).unsetSettings(options(), app, keys, flags.ifVersion),
  );

settings
  .command("delete")
  .description("delete all stored values and restore the defaults")
  .argument("<app>")
  .option("--if-version <number>", "fail if the settings have changed since this version", wholeNumber)
  .action(async (app: string, flags: { ifVersion?: number }) =>
    (await settingsCommands()).deleteSettings(options(), app, flags.ifVersion),
  );

program
  .command("keys")
  .description("keys that apps sign with")
  .command("generate")
  .description("create key.pem and certificate.pem in a folder, unless they exist")
  .argument("<folder>")
  .requiredOption("--name <app>", "name of the app, as in its manifest")
  .action(async (folder: string, flags: { name: string }) => {
    const { generateKeys } = await import("./commands/keys-generate.ts");
    await generateKeys(options(), folder, flags.name);
  });

addVersionCommands(program, options);
addLifeCommands(program, options);
addStorageCommands(program, options);
addActivitiesCommands(program, options);
addHooksCommands(program, options);

function settingsCommands() {
  return import("./commands/settings.ts");
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return version;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Expected a whole number.");
  return Number(text);
}

// `appctl list | head` closes the pipe before everything is written.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(exitCodes.ok);
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = await exitCodeOf(error);
}

async function exitCodeOf(error: unknown): Promise<number> {
  // Help or the usage error was already printed.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const { printFailure } = await import("./failure.ts");
  return printFailure(error, options());
}
