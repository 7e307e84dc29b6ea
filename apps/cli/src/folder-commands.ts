import type { Command } from "commander";
import type { CreateFlags } from "./commands/folder/create.ts";
import type { DeployFlags } from "./commands/folder/deploy.ts";
import type { GlobalOptions } from "./platform.ts";
import { templates } from "./templates.ts";

/** Registers the commands for the folder of an app on the developer's machine. `httpUrl` is the default address of the platform. */
export function addFolderCommands(program: Command, options: () => GlobalOptions, httpUrl: string): void {
  const http = ["--http <url>", "address of the platform", httpUrl] as const;

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
    .option("--no-install", "do not run npm install")
    .option(...http)
    .action(async (folder: string, flags: CreateFlags) => {
      const { createApp } = await import("./commands/folder/create.ts");
      await createApp(folder, flags);
    });

  program
    .command("dev")
    .description("run the app of a folder on the development platform of this machine, and take each change into use")
    .argument("[folder]", "folder with an app.yaml", ".")
    .option(...http)
    .action(async (folder: string, flags: DeployFlags) => {
      const { developFolder } = await import("./commands/folder/dev.ts");
      await developFolder(options(), folder, flags);
    });

  program
    .command("doctor")
    .description("say what is wrong with the platform, and with the app of a folder, and the way out")
    .argument("[folder]", "folder with an app.yaml", ".")
    .option(...http)
    .action(async (folder: string, flags: DeployFlags) => {
      const { examine } = await import("./commands/doctor/doctor.ts");
      await examine(options(), folder, flags);
    });

  program
    .command("deploy")
    .description("take the present state of a folder into use on the development platform of this machine")
    .argument("[folder]", "folder with an app.yaml", ".")
    .option(...http)
    .action(async (folder: string, flags: DeployFlags) => {
      const { deployFolder } = await import("./commands/folder/deploy.ts");
      await deployFolder(options(), folder, flags);
    });
}
