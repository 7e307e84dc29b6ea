import type { Command } from "commander";
import type { CreateFlags } from "./commands/folder/create.ts";
import type { TargetFlags } from "./commands/folder/deploy-target.ts";
import type { DevFlags } from "./commands/folder/dev.ts";
import type { GlobalOptions } from "./global-options.ts";
import { templates } from "./templates.ts";

/** Registers the commands for the folder of an app. `registrationToken` is the value of APPSERVER_REGISTRATION_TOKEN. */
export function addFolderCommands(program: Command, options: () => GlobalOptions, registrationToken: string | undefined): void {
  program
    .command("create")
    .description("make a new app: a folder that runs as it is, with a test")
    .argument("<folder>")
    .option("--name <app>", "name of the app; default: com.example.<folder>")
    .option(
      "--template <name>",
      Object.entries(templates)
        .map(([name, text]) => `${name}: ${text}`)
        .join("; "),
      "esm",
    )
    .option("--no-install", "do not install what the app needs")
    .action(async (folder: string, flags: CreateFlags) => {
      const { createApp } = await import("./commands/folder/create.ts");
      await createApp(options(), folder, flags);
    });

  program
    .command("dev")
    .description(
      "run the app of a folder on the development platform of this machine, and take each change into use; with any other platform: run the backend here, and send your own requests to it through a tunnel",
    )
    .argument("[folder]", "folder with an app.yaml", ".")
    .option("--tunnel", "use a tunnel with the development platform, too", false)
    .option("--verbose", "print the events of the app, and what its build prints", false)
    .action(async (folder: string, flags: DevFlags) => {
      const { developFolder } = await import("./commands/folder/dev.ts");
      await developFolder(options(), folder, flags);
    });

  program
    .command("doctor")
    .description("say what is wrong with the platform, and with the app of a folder, and the way out")
    .argument("[folder]", "folder with an app.yaml", ".")
    .action(async (folder: string) => {
      const { examine } = await import("./commands/doctor/doctor.ts");
      await examine(options(), folder);
    });

  program
    .command("deploy")
    .description("take the present state of a folder into use: build it, register it, and install it or switch to it")
    .argument("[folder]", "folder with an app.yaml", ".")
    .option(
      "--registry <registry>",
      "push the image there, where the platform pulls from: registry.example.com/apps. Default: to the platform itself",
    )
    .option("--tag <stage>", "tag of the image, the stage that the platform runs", "latest")
    .option(
      "--approve",
      "approve the permissions that the app requests; a development platform of this machine always does",
      false,
    )
    .action(async (folder: string, flags: TargetFlags) => {
      const { deployFolder } = await import("./commands/folder/deploy.ts");
      await deployFolder(options(), folder, { ...flags, registrationToken });
    });
}
