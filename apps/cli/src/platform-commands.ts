import type { Command } from "commander";
import type { AuditFlags } from "./commands/audit.ts";
import type { RequestFlags } from "./commands/requests.ts";
import type { GlobalOptions } from "./global-options.ts";
import { wholeNumber } from "./whole-number.ts";

/** The commands that show what happened on the platform. */
export function addPlatformCommands(program: Command, options: () => GlobalOptions): void {
  program
    .command("audit")
    .description("list what callers did, newest first")
    .option("--actor <subject>", "only of this caller, as in user:alice")
    .option("--client <name>", "only by this program of a language model, as in 'said: my-editor'")
    .option("--action <action>", "only this, as in app.install")
    .option("--target <target>", "only on this")
    .option("--outcome <outcome>", "success, denied or failure")
    .option("--since <time>", "30s, 10m, 2h, 1d ago, or a time like 2026-01-31T12:00:00Z")
    .option("--until <time>", "only before this time")
    .option("--limit <number>", "maximum number of entries", wholeNumber, 50)
    .action(async (flags: AuditFlags) => {
      const { listAudit } = await import("./commands/audit.ts");
      await listAudit(options(), flags);
    });

  program
    .command("requests")
    .description("list requests of the last hour, newest first; appctl trace shows what one of them caused")
    .option("--app <app>", "only to this app")
    .option("--failed", "only those with a status of 400 or above, or that were refused or aborted")
    .option("--slow <ms>", "only those that took longer", wholeNumber)
    .option("--caller <subject>", "only of this caller, as in user:alice")
    .option("--method <method>", "only these, as in POST")
    .option("--since <time>", "30s, 10m, 1h ago, or a time like 2026-01-31T12:00:00Z")
    .option("--until <time>", "only before this time")
    .option("--limit <number>", "maximum number of requests", wholeNumber, 50)
    .action(async (flags: RequestFlags) => {
      const { listRequests } = await import("./commands/requests.ts");
      await listRequests(options(), flags);
    });

  program
    .command("metrics")
    .description("show the requests of the last minutes, by app, or by route of one app")
    .argument("[app]")
    .option("--minutes <number>", "1 to 1440", wholeNumber, 60)
    .action(async (app: string | undefined, flags: { minutes: number }) => {
      const { showMetrics } = await import("./commands/metrics.ts");
      await showMetrics(options(), app, flags);
    });

  program
    .command("assets")
    .description("list the files of an app's frontend with their hashes, or show one")
    .argument("<app>")
    .argument("[asset]")
    .action(async (app: string, asset: string | undefined) => {
      const { showAssets } = await import("./commands/assets.ts");
      await showAssets(options(), app, asset);
    });
}
