import type { Command } from "commander";
import type { FollowFlags } from "./commands/follow-operation.ts";
import type { GlobalOptions } from "./global-options.ts";

/** Registers the commands for snapshots of the data of apps. They load their module when they run. */
export function addBackupCommands(program: Command, options: () => GlobalOptions): void {
  const commands = () => import("./commands/backup.ts");
  const backup = program.command("backup").description("snapshots of the data of one app, on the platform's machine");

  backup
    .command("create")
    .description("copy the database and the storage of an app, which is paused for it")
    .argument("<app>")
    .option("--label <text>", "why it was taken, for the list")
    .option("--detach", "do not wait for the end", false)
    .action(async (app: string, flags: FollowFlags & { label?: string }) =>
      (await commands()).createBackup(options(), app, flags),
    );

  backup
    .command("list")
    .description("show the snapshots of an app, newest first")
    .argument("<app>")
    .action(async (app: string) => (await commands()).listBackups(options(), app));

  backup
    .command("restore")
    .description("replace the data of an app by that of a snapshot, after another one of what is there")
    .argument("<app>")
    .argument("[snapshot]", "its id; default: the newest one that is no copy of what a restore has replaced")
    .option("--as <name>", "leave the app as it is, and register a clone with this name that has the data")
    .option("--detach", "do not wait for the end", false)
    .action(async (app: string, snapshot: string | undefined, flags: FollowFlags & { as?: string }) =>
      (await commands()).restoreBackup(options(), app, snapshot, flags),
    );

  backup
    .command("delete")
    .description("delete a snapshot of an app")
    .argument("<app>")
    .argument("<snapshot>", "its id")
    .action(async (app: string, snapshot: string) => (await commands()).deleteBackup(options(), app, snapshot));
}
