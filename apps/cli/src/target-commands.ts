import type { Command } from "commander";
import type { IncidentsFlags } from "./commands/incidents.ts";
import type { CreateTargetFlags, TargetDeliveriesFlags, UpdateTargetFlags } from "./commands/targets.ts";
import type { GlobalOptions } from "./global-options.ts";
import { wholeNumber } from "./whole-number.ts";

/** `appctl targets …` and `appctl incidents` */
export function addTargetCommands(program: Command, options: () => GlobalOptions): void {
  const commands = () => import("./commands/targets.ts");
  const targets = program.command("targets").description("receivers of events outside of the platform: webhooks, Slack, mail");

  targets
    .command("list")
    .description("list the targets, with their deliveries that wait and those that were given up")
    .action(async () => (await commands()).listTargets(options()));

  targets
    .command("create")
    .description("create a target of the events from now on; prints the secret of a webhook, which is shown only once")
    .argument("<target>", "its name")
    .option("--webhook <url>", "post signed messages to this URL")
    .option("--slack <url>", "post to this incoming webhook of Slack")
    .option("--mail <address>", "send mail to this address; repeatable", collect, [])
    .option("--type <type>", "only events of this type, as INCIDENT_OPENED; repeatable; default: every type", collect, [])
    .action(async (name: string, flags: CreateTargetFlags) => (await commands()).createTarget(options(), name, flags));

  targets
    .command("update")
    .description("change the name, the address or the types of a target, or enable or disable it; its kind and its secret stay")
    .argument("<target>")
    .option("--name <name>", "its new name")
    .option("--url <url>", "the new URL of a webhook or of Slack")
    .option("--mail <address>", "send mail to this address instead; repeatable", collect, [])
    .option("--type <type>", "only events of this type; repeatable; * for every type", collect, [])
    .option("--enable", "send events to it")
    .option("--disable", "send nothing to it; what waits is sent when it is enabled again")
    .action(async (name: string, flags: UpdateTargetFlags) => (await commands()).updateTarget(options(), name, flags));

  targets
    .command("delete")
    .description("delete a target with its deliveries")
    .argument("<target>")
    .action(async (name: string) => (await commands()).deleteTarget(options(), name));

  targets
    .command("test")
    .description("send one message to a target, and show what the receiver responded")
    .argument("<target>")
    .action(async (name: string) => (await commands()).testTarget(options(), name));

  targets
    .command("deliveries")
    .description("list the deliveries to a target, newest first")
    .argument("<target>")
    .option("--status <status>", "only deliveries with this status; DEAD are those that were given up")
    .option("--limit <number>", "maximum number of deliveries", wholeNumber, 50)
    .action(async (name: string, flags: TargetDeliveriesFlags) =>
      (await commands()).listTargetDeliveries(options(), name, flags),
    );

  targets
    .command("resend")
    .description("send a finished delivery again")
    .argument("<delivery>")
    .action(async (id: string) => (await commands()).resendTargetDelivery(options(), id));

  program
    .command("incidents")
    .description("list what people have to look at: apps that are down, full disks, failed backups and others")
    .option("--all", "also those that are over", false)
    .option("--limit <number>", "maximum number of incidents", wholeNumber, 50)
    .action(async (flags: IncidentsFlags) => (await import("./commands/incidents.ts")).listIncidents(options(), flags));
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}
