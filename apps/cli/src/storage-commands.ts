import type { Command } from "commander";
import type { GlobalOptions } from "./global-options.ts";

/** Registers the commands for the storage of apps. They load their module when they run. */
export function addStorageCommands(program: Command, options: () => GlobalOptions): void {
  const commands = () => import("./commands/storage.ts");
  const storage = program.command("storage").description("what an app keeps on disk");

  storage
    .command("list")
    .description("show the storage of an app, declared or left by an earlier version")
    .argument("<app>")
    .action(async (app: string) => (await commands()).listStorage(options(), app));

  storage
    .command("delete")
    .description("delete one storage of an app that does not run, with its files")
    .argument("<app>")
    .argument("<name>")
    .option("--confirm <name>", "the name of the storage again, because nothing restores it")
    .action(async (app: string, name: string, flags: { confirm?: string }) =>
      (await commands()).deleteStorage(options(), app, name, flags.confirm),
    );
}
