import { ask } from "../client.ts";
import { follow, isLost, reconnectEveryMs, reconnectForMs } from "../follow.ts";
import {
  type EventFragment,
  SystemEventDocument,
  SystemEventsDocument,
  type SystemEventType,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { harmless } from "../harmless.ts";
import { print, printJsonLine } from "../output.ts";
import { type PageRequest, takeFromPages } from "../pages.ts";
import { sleep } from "../sleep.ts";

export interface EventFlags {
  readonly follow: boolean;
  readonly app?: string;
  readonly type?: readonly string[];
  /** Of the events of the past. */
  readonly tail: number;
}

interface Filter {
  /** The platform refuses unknown ones, and names those that it knows. */
  readonly types: SystemEventType[] | undefined;
  readonly appName: string | undefined;
}

/** Prints the last events of the platform, the newest at the end, and with `follow` each further one. */
export async function showEvents(options: GlobalOptions, { app: appName, type, tail, follow }: EventFlags): Promise<void> {
  const types = type?.map((each) => each.toUpperCase() as SystemEventType);
  const past = await lastEvents(options, { types, appName }, tail);
  for (const event of past) show(options, event);
  if (follow) await followEvents(options, { types, appName }, past.at(-1)?.id);
}

async function lastEvents(options: GlobalOptions, filter: Filter, limit: number): Promise<readonly EventFragment[]> {
  if (limit === 0) return [];
  const read = async (page: PageRequest) => (await ask(options, SystemEventsDocument, { ...filter, ...page })).systemEvents;
  return (await takeFromPages({ limit, pageSize: 80 }, read)).toReversed();
}

/** After a lost connection it continues after the last event, so that none is missed. */
async function followEvents(options: GlobalOptions, filter: Filter, after: string | undefined): Promise<void> {
  let last = after;
  for (let triedSince = performance.now(); ; await sleep(reconnectEveryMs)) {
    try {
      for await (const { systemEvent } of follow(options, SystemEventDocument, { ...filter, after: last })) {
        show(options, systemEvent);
        last = systemEvent.id;
        triedSince = performance.now();
      }
    } catch (error) {
      if (!isLost(error) || performance.now() - triedSince > reconnectForMs) throw error;
    }
  }
}

function show({ json }: GlobalOptions, event: EventFragment): void {
  if (json) {
    printJsonLine(event);
    return;
  }
  const { timestamp, severity, type, appName, message, actor } = event;
  const who = actor ? ` (${actor})` : "";
  print(harmless(`${timestamp} ${severity.padEnd(7)} ${type.padEnd(20)} ${appName ?? "-"}  ${message}${who}`));
}
