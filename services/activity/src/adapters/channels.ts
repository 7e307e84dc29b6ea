import type { Transaction } from "@appserver/kernel/ports";

/** NOTIFY channels between replicas. Payloads: a queue's name, a run's id, comma-separated run ids, an app's name. */
export const channels = {
  work: "appserver_activity_work",
  cancel: "appserver_activity_cancel",
  runs: "appserver_activity_runs",
  definitions: "appserver_activity_definitions",
} as const;

/** Limits a payload to less than 8,000 bytes. */
const idsPerPayload = 200;

export async function notify(tx: Transaction, channel: string, payloads: readonly string[]): Promise<void> {
  if (payloads.length === 0) return;
  await tx.query("select pg_notify($1, payload) from unnest($2::text[]) as payload", [channel, [...new Set(payloads)]]);
}

/** Notifies watchers of these runs. */
export function notifyRuns(tx: Transaction, ids: readonly string[]): Promise<void> {
  return notify(tx, channels.runs, runPayloads(ids));
}

/** Returns payloads of {@link channels.runs}. */
export function runPayloads(ids: readonly string[]): readonly string[] {
  const payloads: string[] = [];
  for (let from = 0; from < ids.length; from += idsPerPayload) payloads.push(ids.slice(from, from + idsPerPayload).join(","));
  return payloads;
}
