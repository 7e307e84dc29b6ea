import { ask } from "../../client.ts";
import { TriggerActivityDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { UsageError } from "../../usage-error.ts";
import { readInput } from "./json-option.ts";
import { requireWatch, showStarted, type WatchFlags } from "./start.ts";

export interface TriggerFlags extends WatchFlags {
  readonly input?: string;
  readonly key?: string;
  readonly at?: string;
}

export async function triggerActivity(
  options: GlobalOptions,
  appName: string,
  activity: string,
  flags: TriggerFlags,
): Promise<void> {
  requireWatch(flags);
  const { key: idempotencyKey, at } = flags;
  const runAt = at === undefined ? undefined : readTime(at);
  const variables = { appName, activity, input: readInput(flags.input), idempotencyKey, runAt };
  await showStarted(options, (await ask(options, TriggerActivityDocument, variables)).triggerActivity, flags);
}

function readTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--at must be a time like 2026-01-31T08:00:00Z, got ${JSON.stringify(text)}`);
  return time.toISOString();
}
