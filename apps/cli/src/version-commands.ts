import type { Command } from "commander";
import type { SwitchFlags } from "./commands/versions.ts";
import type { GlobalOptions } from "./global-options.ts";

/** `appctl plan`, and the commands that change the version of an app. */
export function addVersionCommands(program: Command, options: () => GlobalOptions): void {
  program
    .command("plan")
    .description("show what an installation, an upgrade or a rollback would do; changes nothing")
    .argument("<name>")
    .option("--to <version>", "version to plan for; default: the newest")
    .option("--without-dependencies", "of an installation that does not install the apps that it needs", false)
    .action(async (name: string, flags: { to?: string; withoutDependencies: boolean }) => {
      const { showPlan } = await import("./commands/plan.ts");
      await showPlan(options(), name, flags);
    });

  program
    .command("upgrade")
    .description("switch an app to a newer version, as soon as that is healthy")
    .argument("<name>")
    .option("--to <version>", "default: the newest registered version")
    .option("--plan <digest>", "digest of the plan that was reviewed; fails if the plan has changed")
    .option("--detach", "do not wait for the end", false)
    .action(async (name: string, flags: SwitchFlags) => (await versionCommands()).upgradeApp(options(), name, flags));

  program
    .command("rollback")
    .description("switch an app back to an earlier version, or cancel a running upgrade")
    .argument("<name>")
    .option("--to <version>", "default: the version that served before")
    .option("--plan <digest>", "digest of the plan that was reviewed; fails if the plan has changed")
    .option("--with-data", "with the data of the snapshot that was taken before the upgrade from that version", false)
    .option("--detach", "do not wait for the end", false)
    .action(async (name: string, flags: SwitchFlags & { withData: boolean }) =>
      (await versionCommands()).rollbackApp(options(), name, flags),
    );

  program
    .command("redeploy")
    .description("deploy the same version of an app again")
    .argument("<name>")
    .option("--pull", "resolve the tag of its image again", false)
    .option("--detach", "do not wait for the end", false)
    .action(async (name: string, flags: { pull: boolean; detach: boolean }) =>
      (await versionCommands()).redeployApp(options(), name, flags),
    );

  program
    .command("versions")
    .description("list the kept versions of an app, and the history of those that served")
    .argument("<name>")
    .action(async (name: string) => (await versionCommands()).listVersions(options(), name));
}

function versionCommands() {
  return import("./commands/versions.ts");
}
