import type { Command } from "commander";
import type { GlobalOptions } from "./global-options.ts";
import { wholeNumber } from "./whole-number.ts";

interface TriggerFlags {
  readonly data?: string;
  readonly key?: string;
}

interface DeliveriesFlags {
  readonly hook?: string;
  readonly app?: string;
  readonly status?: string;
  readonly limit: number;
}

/** `appctl hooks …` */
export function addHooksCommands(program: Command, options: () => GlobalOptions): void {
  const hooks = program.command("hooks").description("messages between apps, and their deliveries");

  hooks
    .command("trigger")
    .description("trigger a hook")
    .argument("<name>")
    .option("--data <json>", "data of the hook")
    .option("--key <text>", "ordering key: hooks of one app with the same key arrive in order")
    .action(async (name: string, flags: TriggerFlags) => {
      const { triggerHook } = await import("./commands/hooks/trigger.ts");
      await triggerHook(options(), name, flags);
    });

  hooks
    .command("deliveries")
    .description("list deliveries, newest first")
    .option("--hook <name>", "only deliveries of this hook")
    .option("--app <name>", "only deliveries to this app")
    .option("--status <status>", "only deliveries with this status; DEAD are the dead letters")
    .option("--limit <number>", "maximum number of deliveries", wholeNumber, 50)
    .action(async (flags: DeliveriesFlags) => {
      const { listDeliveries } = await import("./commands/hooks/deliveries.ts");
      await listDeliveries(options(), flags);
    });

  hooks
    .command("resend")
    .description("send a finished delivery again")
    .argument("<delivery>")
    .action(async (id: string) => {
      const { resendDelivery } = await import("./commands/hooks/resend.ts");
      await resendDelivery(options(), id);
    });

  hooks
    .command("recover")
    .description("send the dead deliveries of a hook again, if they were triggered in a range of time")
    .argument("<name>")
    .requiredOption("--since <time>", "RFC 3339, as in 2026-01-31T12:00:00Z")
    .option("--until <time>", "default now")
    .action(async (name: string, flags: { since: string; until?: string }) => {
      const { recoverDeliveries } = await import("./commands/hooks/recover.ts");
      await recoverDeliveries(options(), name, flags);
    });

  hooks
    .command("listen")
    .description("show hooks as they are triggered, until Ctrl-C; subscribers still receive them")
    .argument("[name...]")
    .option("--count <number>", "stop after this number of hooks", wholeNumber)
    .action(async (names: string[], flags: { count?: number }) => {
      const { listenToHooks } = await import("./commands/hooks/listen.ts");
      await listenToHooks(options(), names, flags.count);
    });
}
