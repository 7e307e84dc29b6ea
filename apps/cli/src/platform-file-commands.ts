import type { Command } from "commander";
import type { ApplyFlags } from "./commands/platform-file/apply.ts";
import type { DiffFlags } from "./commands/platform-file/diff.ts";
import type { ExportFlags } from "./commands/platform-file/export.ts";
import type { Environment, GlobalOptions } from "./global-options.ts";

const file = ["-f, --file <file>", "file that describes the platform", "platform.yaml"] as const;

/** `appctl export`, `diff` and `apply`: the platform as a file. */
export function addPlatformFileCommands(program: Command, options: () => GlobalOptions, environment: Environment): void {
  program
    .command("export")
    .description(
      "print what is decided about the platform as a file: apps, settings without secrets, approvals, service accounts, trusted pipelines, grants",
    )
    .option("-o, --output <file>", "write to a file instead")
    .option("--releases <folder>", "also write the signed release of each app into a folder, from which apply registers it")
    .action(async (flags: ExportFlags) => {
      const { exportPlatform } = await import("./commands/platform-file/export.ts");
      await exportPlatform(options(), flags);
    });

  program
    .command("diff")
    .description("list what differs between the platform and a file; exit code 5 if anything does")
    .option(...file)
    .option("--releases <folder>", "folder with releases that the platform may lack")
    .action(async (flags: DiffFlags) => {
      const { diffPlatform } = await import("./commands/platform-file/diff.ts");
      await diffPlatform(options(), flags);
    });

  program
    .command("apply")
    .description("make the platform what a file says; what the file does not mention is left as it is")
    .option(...file)
    .option("--releases <folder>", "folder with releases that the platform may lack")
    .option("--plan [digest]", "only show the plan; with its digest, do it if the plan is still the same, else exit code 5")
    .option("--markdown", "show the plan as Markdown, for the comment of a pull request", false)
    .option("--prune", "also take what the file does not mention, in the sections that it has", false)
    .option("--yes", "do not ask", false)
    .option(
      "--registration-token <token>",
      "registration token, if the platform requires one (ps shows it: prefer APPSERVER_REGISTRATION_TOKEN)",
    )
    .action(async (flags: ApplyFlags) => {
      const { applyPlatform } = await import("./commands/platform-file/apply.ts");
      const registrationToken = flags.registrationToken ?? (environment["APPSERVER_REGISTRATION_TOKEN"] || undefined);
      await applyPlatform(options(), { ...flags, registrationToken }, environment);
    });
}
