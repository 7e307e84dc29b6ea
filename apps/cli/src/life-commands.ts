import type { Command } from "commander";
import type { GlobalOptions } from "./platform.ts";

/** Registers the commands that change an app but not its version. They load their module when they run. */
export function addLifeCommands(program: Command, options: () => GlobalOptions): void {
  const commands = () => import("./commands/life.ts");
  const named = (command: string, description: string): Command =>
    program.command(command).description(description).argument("<name>");

  named("enable", "enable a disabled app").action(async (name: string) =>
    (await commands()).setAppEnabled(options(), name, true),
  );
  named("disable", "stop an installed app, and refuse requests to it until it is enabled").action(async (name: string) =>
    (await commands()).setAppEnabled(options(), name, false),
  );
  named("restart", "run an installed app in a new container").action(async (name: string) =>
    (await commands()).restartApp(options(), name),
  );
  named("delete", "delete the registration of an app, with its name, key and data").action(async (name: string) =>
    (await commands()).deleteApp(options(), name),
  );
  named("replace-key", "pin another certificate; signatures of the old key are refused")
    .argument("<certificate>", "file, PEM or DER")
    .action(async (name: string, file: string) => (await commands()).replaceKey(options(), name, file));
  named("revoke", "withdraw approvals of permissions; the app keeps running")
    .argument("<scope...>")
    .action(async (name: string, scopes: string[]) => (await commands()).revokePermissions(options(), name, scopes));
}
