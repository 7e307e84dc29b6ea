import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addActivitiesCommands } from "./activities-commands.ts";
import { addAppCommands } from "./app-commands.ts";
import { addFolderCommands } from "./folder-commands.ts";
import { addHooksCommands } from "./hooks-commands.ts";
import { addLifeCommands } from "./life-commands.ts";
import type { GlobalOptions } from "./platform.ts";
import { addRegistrationCommands } from "./registration-commands.ts";
import { addSettingsCommands } from "./settings-commands.ts";
import { addStorageCommands } from "./storage-commands.ts";
import { addVersionCommands } from "./version-commands.ts";

const environmentHelp = `
Environment:
  APPSERVER_GRPC_URL            address of the platform's gRPC port, if --grpc is not given
  APPSERVER_HTTP_URL            address of the platform's HTTP port, if --http is not given
  APPSERVER_TOKEN               session token of a user, if --token is not given
  APPSERVER_REGISTRATION_TOKEN  registration token, if --registration-token is not given
  APPSERVER_CA                  file of trusted certificates, if --ca is not given

Exit codes: 0 success, 1 refused or failed, 2 wrong usage, 3 the platform is unreachable.
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
export function createAppctl(environment: Readonly<Record<string, string | undefined>>): Appctl {
  const program = new Command("appctl")
    .description("The command line of Appserver, for app developers and operators.")
    .option("--grpc <url>", "address of the platform's gRPC port", environment["APPSERVER_GRPC_URL"] ?? "http://127.0.0.1:9090")
    .option("--token <token>", "session token of a user (ps shows it: prefer APPSERVER_TOKEN)")
    .option("--ca <file>", "PEM certificates to trust in addition to the system's, for an https address")
    .option("--json", "print JSON", false)
    .version(version(), "-V, --version", "print the version")
    .addHelpText("after", environmentHelp)
    .showHelpAfterError("(appctl --help lists the commands)")
    .exitOverride();

  // Completed from the environment. The token is not a default of its flag: help would print it.
  const options = (): GlobalOptions => {
    const { token = environment["APPSERVER_TOKEN"], ca = environment["APPSERVER_CA"], ...rest } = program.opts<GlobalOptions>();
    return { ...rest, ...(token ? { token } : {}), ...(ca ? { ca } : {}) };
  };

  addRegistrationCommands(program, options, environment["APPSERVER_REGISTRATION_TOKEN"]);
  addAppCommands(program, options);
  addSettingsCommands(program, options);
  addVersionCommands(program, options);
  addLifeCommands(program, options);
  addStorageCommands(program, options);
  addActivitiesCommands(program, options);
  addHooksCommands(program, options);
  addFolderCommands(program, options, environment["APPSERVER_HTTP_URL"] ?? "http://127.0.0.1:8080");

  return { program, options };
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return version;
}
