import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addAccessCommands } from "./access-commands.ts";
import { addActivitiesCommands } from "./activities-commands.ts";
import { addAppCommands } from "./app-commands.ts";
import { addBackupCommands } from "./backup-commands.ts";
import { addFolderCommands } from "./folder-commands.ts";
import { type Environment, type GlobalFlags, type GlobalOptions, globalOptions, localPlatform } from "./global-options.ts";
import { addHooksCommands } from "./hooks-commands.ts";
import { addLifeCommands } from "./life-commands.ts";
import { addLoginCommands } from "./login-commands.ts";
import { addPlatformCommands } from "./platform-commands.ts";
import { addPlatformFileCommands } from "./platform-file-commands.ts";
import { addRegistrationCommands } from "./registration-commands.ts";
import { addServiceAccountCommands } from "./service-account-commands.ts";
import { addSettingsCommands } from "./settings-commands.ts";
import { addShellCommands } from "./shell-commands.ts";
import { addStorageCommands } from "./storage-commands.ts";
import { addTargetCommands } from "./target-commands.ts";
import { addTrustCommands } from "./trust-commands.ts";
import { addVersionCommands } from "./version-commands.ts";

const environmentHelp = `
Environment:
  APPSERVER_HTTP_URL            address of the platform, if --http is not given
  APPSERVER_GRPC_URL            address of its gRPC port, if --grpc is not given
  APPSERVER_CONTEXT             a stored platform, if none of these and no --context is given
  APPSERVER_TOKEN               session token of a user, or token of a service account, if --token is not given
  APPSERVER_REGISTRATION_TOKEN  registration token, if --registration-token is not given
  APPSERVER_APP_KEY, APPSERVER_APP_CERTIFICATE
                                key and certificate of an app as PEM, or as PEM in base64, in place of those in its folder
  APPSERVER_ID_TOKEN            id token of a pipeline's job, which \`deploy\`, \`register\` and \`validate\` exchange for a token;
                                jobs of GitHub Actions with the permission \`id-token: write\` need none
  APPSERVER_CA                  file of trusted certificates, if --ca is not given

Exit codes: 0 success, 1 refused or failed, 2 wrong usage, 3 the platform is unreachable,
4 permissions of an app wait for an approval, 5 the platform differs from a file, or a plan from the one that was reviewed.
`;

export interface Appctl {
  readonly program: Command;
  /** Returns the flags of the command line that `program` has read. */
  readonly options: () => GlobalOptions;
}

/**
 * Creates the program with all its commands. Each command loads its modules when it runs, so that help and usage errors are printed
 * quickly.
 */
export function createAppctl(environment: Environment): Appctl {
  const program = new Command("appctl")
    .description("The command line of Appserver, for app developers and operators.")
    .option("--http <url>", `address of the platform (default ${localPlatform})`)
    .option("--grpc <url>", "address of its gRPC port, for registration and tunnels (default: that of --http)")
    .option("--context <name>", "a platform that `appctl login` has stored; default: the one in use")
    .option("--token <token>", "session token of a user, or token of a service account (ps shows it: prefer APPSERVER_TOKEN)")
    .option("--ca <file>", "PEM certificates to trust in addition to the system's, for an https address")
    .option("--json", "print JSON", false)
    .version(version(), "-V, --version", "print the version")
    .addHelpText("after", environmentHelp)
    .showHelpAfterError("(appctl --help lists the commands)")
    .exitOverride();

  const options = (): GlobalOptions => globalOptions(program.opts<GlobalFlags>(), environment);

  addRegistrationCommands(program, options, environment["APPSERVER_REGISTRATION_TOKEN"]);
  addAppCommands(program, options);
  addSettingsCommands(program, options);
  addVersionCommands(program, options);
  addLifeCommands(program, options);
  addStorageCommands(program, options);
  addBackupCommands(program, options);
  addActivitiesCommands(program, options);
  addHooksCommands(program, options);
  addTargetCommands(program, options);
  addPlatformCommands(program, options);
  addPlatformFileCommands(program, options, environment);
  addAccessCommands(program, options);
  addServiceAccountCommands(program, options);
  addTrustCommands(program, options);
  addFolderCommands(program, options, environment["APPSERVER_REGISTRATION_TOKEN"] || undefined);
  addLoginCommands(program, options, environment);
  addShellCommands(program, options);

  return { program, options };
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return version;
}
