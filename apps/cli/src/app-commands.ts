import { type Command, InvalidArgumentError } from "commander";
import type { EventFlags } from "./commands/events.ts";
import type { FollowFlags } from "./commands/follow-operation.ts";
import type { InstallFlags } from "./commands/install.ts";
import type { GlobalOptions } from "./global-options.ts";

/** Registers the commands that install, uninstall and show apps, and the one that makes their keys. */
export function addAppCommands(program: Command, options: () => GlobalOptions): void {
  program
    .command("install")
    .description("install an app and the apps it depends on")
    .argument("<name>")
    .option("--plan <digest>", "digest of the plan that was reviewed; fails if the plan has changed")
    .option("--without-dependencies", "fail if an app that it needs is not installed", false)
    .option("--detach", "do not wait until the app runs", false)
    .action(async (name: string, flags: InstallFlags) => {
      const { installApp } = await import("./commands/install.ts");
      await installApp(options(), name, flags);
    });

  program
    .command("approve")
    .description("show the permissions of an app that need an approval, or approve them")
    .argument("<name>")
    .argument("[scope...]", "permissions to approve; without any, show those that need an approval")
    .option("--manifest <digest>", "digest of the manifest that was reviewed; fails if the app has another one")
    .action(async (name: string, scopes: string[], flags: { manifest?: string }) => {
      const { approveApp } = await import("./commands/approve.ts");
      await approveApp(options(), name, scopes, flags.manifest);
    });

  program
    .command("uninstall")
    .description("uninstall an app")
    .argument("<name>")
    .option("--purge", "also delete the data that the app stored on the platform", false)
    .action(async (name: string, flags: { purge: boolean }) => {
      const { uninstallApp } = await import("./commands/uninstall.ts");
      await uninstallApp(options(), name, flags.purge);
    });

  program
    .command("operation")
    .description("show the progress of an operation until it ends; every command prints or returns the id of its own")
    .argument("<id>")
    .option("--detach", "show it as it is now", false)
    .action(async (id: string, flags: FollowFlags) => {
      const { showOperation } = await import("./commands/operation.ts");
      await showOperation(options(), id, flags);
    });

  program
    .command("list")
    .description("list the registered apps")
    .option("--state <state...>", "only apps in these states")
    .action(async (flags: { state?: string[] }) => {
      const { listApps } = await import("./commands/list.ts");
      await listApps(options(), flags.state ?? []);
    });

  program
    .command("get")
    .description("show one app")
    .argument("<name>")
    .action(async (name: string) => {
      const { getApp } = await import("./commands/get.ts");
      await getApp(options(), name);
    });

  program
    .command("describe")
    .description("show why an app runs or does not run: container, health checks, limits, last crash, storage, transitions")
    .argument("<name>")
    .action(async (name: string) => {
      const { describeApp } = await import("./commands/describe.ts");
      await describeApp(options(), name);
    });

  program
    .command("trace")
    .description("show a request with everything that it caused, in all apps: hooks, deliveries, runs, events, log lines")
    .argument("<id>", "request id (X-Request-ID of a response), trace id or traceparent")
    .action(async (id: string) => {
      const { showTrace } = await import("./commands/trace.ts");
      await showTrace(options(), id);
    });

  program
    .command("events")
    .description("show the last events of the platform, and with -f each further one")
    .option("-f, --follow", "print events as they happen", false)
    .option("--app <app>", "only events of this app")
    .option("--type <type...>", "only events of these types, as APP_STATE_CHANGED")
    .option("--tail <count>", "number of the last events, 0 to 250", eventCount, 20)
    .action(async (flags: EventFlags) => {
      const { showEvents } = await import("./commands/events.ts");
      await showEvents(options(), flags);
    });

  program
    .command("keys")
    .description("keys that apps sign with")
    .command("generate")
    .description("create key.pem and certificate.pem in a folder, unless they exist")
    .argument("<folder>")
    .requiredOption("--name <app>", "name of the app, as in its manifest")
    .action(async (folder: string, flags: { name: string }) => {
      const { generateKeys } = await import("./commands/keys-generate.ts");
      await generateKeys(options(), folder, flags.name);
    });
}

function eventCount(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 250) throw new InvalidArgumentError("Expected a whole number, 0 to 250.");
  return Number(text);
}
