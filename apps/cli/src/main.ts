import { Command, CommanderError } from "commander";
import { getApp } from "./commands/get.ts";
import { installApp } from "./commands/install.ts";
import { generateKeys } from "./commands/keys-generate.ts";
import { listApps } from "./commands/list.ts";
import { registerFolder } from "./commands/register.ts";
import { uninstallApp } from "./commands/uninstall.ts";
import { validateFolder } from "./commands/validate.ts";
import { exitCodes, printFailure } from "./failure.ts";
import type { GlobalOptions } from "./platform.ts";

const program = new Command("appctl")
  .description("The command line of Appserver, for app developers and operators.")
  .option("--grpc <url>", "address of the platform's gRPC port", process.env["APPSERVER_GRPC_URL"] ?? "http://127.0.0.1:9090")
  .option("--token <token>", "session token of a user", process.env["APPSERVER_TOKEN"])
  .option("--json", "print JSON", false)
  .showHelpAfterError("(appctl --help lists the commands)")
  .exitOverride();

const options = (): GlobalOptions => program.opts<GlobalOptions>();

program
  .command("register")
  .description("sign and register the app of a folder with an app.yaml")
  .argument("<folder>")
  .option("--registration-token <token>", "where the platform asks for one")
  .action((folder: string, flags: { registrationToken?: string }) =>
    registerFolder(options(), folder, flags.registrationToken),
  );

program
  .command("validate")
  .description("check the app of a folder against every rule of the platform; changes nothing")
  .argument("<folder>")
  .action((folder: string) => validateFolder(options(), folder));

program
  .command("install")
  .description("install an app and the apps it depends on")
  .argument("<name>")
  .option("--wait <seconds>", "wait until it runs, at most so long", Number)
  .action((name: string, flags: { wait?: number }) => installApp(options(), name, flags.wait));

program
  .command("uninstall")
  .description("uninstall an app")
  .argument("<name>")
  .option("--purge", "also delete what it stored on the platform", false)
  .action((name: string, flags: { purge: boolean }) => uninstallApp(options(), name, flags.purge));

program
  .command("list")
  .description("list the registered apps")
  .option("--state <state...>", "only apps in these states")
  .action((flags: { state?: string[] }) => listApps(options(), flags.state ?? []));

program
  .command("get")
  .description("show one app")
  .argument("<name>")
  .action((name: string) => getApp(options(), name));

program
  .command("keys")
  .description("keys that apps sign with")
  .command("generate")
  .description("make key.pem and certificate.pem in a folder, unless they are there")
  .argument("<folder>")
  .requiredOption("--name <app>", "name of the app, as in its manifest")
  .action((folder: string, flags: { name: string }) => generateKeys(options(), folder, flags.name));

try {
  await program.parseAsync();
} catch (error) {
  // Help and version were printed; usage errors were explained.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  else process.exitCode = printFailure(error, options());
}
