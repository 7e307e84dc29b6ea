import { type Command, InvalidArgumentError } from "commander";
import type { LogFlags } from "./commands/logs.ts";
import type { GlobalOptions } from "./global-options.ts";

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
  named("logs", "print what the containers of an app have printed")
    .option("-f, --follow", "continue with what they print, over restarts and other versions")
    .option("--tail <lines>", "only the last lines; without --since the default is 100", lines)
    .option("--since <time>", "only later lines: 30s, 10m, 2h, 1d, or a time like 2026-01-31T12:00:00Z")
    .option("--instance <id>", "only of one instance: the beginning of its id, as describe shows it")
    .action(async (name: string, flags: LogFlags) => {
      const { showLogs } = await import("./commands/logs.ts");
      await showLogs(options(), name, flags);
    });
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

function lines(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Expected a whole number of lines.");
  return Number(text);
}
