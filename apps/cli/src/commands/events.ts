import type { IncomingMessage } from "node:http";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { GlobalOptions } from "../global-options.ts";
import { harmless } from "../harmless.ts";
import { print, printJsonLine } from "../output.ts";
import { open, readJson } from "../rest.ts";
import { RestFailure } from "../rest-failure.ts";
import { sleep } from "../sleep.ts";

export interface EventFlags {
  readonly follow: boolean;
  readonly app?: string;
  readonly type?: readonly string[];
  /** Of the events of the past. */
  readonly tail: number;
}

interface SystemEvent {
  readonly id: string;
  readonly type: string;
  readonly severity: string;
  readonly appName?: string | null;
  readonly message: string;
  readonly timestamp: string;
  readonly actor?: string | null;
}

const reconnectEveryMs = 1_000;
const reconnectForMs = 60_000;

/** Prints the last events of the platform, the newest at the end, and with `follow` each further one. */
export async function showEvents(options: GlobalOptions, flags: EventFlags): Promise<void> {
  const query = new URLSearchParams();
  for (const type of flags.type ?? []) query.append("type", type.toUpperCase());
  if (flags.app !== undefined) query.append("app", flags.app);
  const past = await lastEvents(options, query, flags.tail);
  for (const event of past) show(options, event);
  if (flags.follow) await follow(options, query, past.at(-1)?.id);
}

async function lastEvents(options: GlobalOptions, query: URLSearchParams, count: number): Promise<readonly SystemEvent[]> {
  if (count === 0) return [];
  const paged = new URLSearchParams([...query, ["first", String(count)]]);
  const { items } = await readJson<{ readonly items: readonly SystemEvent[] }>(options, `/api/v2/events?${paged}`);
  return items.toReversed();
}

/** After a lost connection it continues after the last event, so that none is missed. */
async function follow(options: GlobalOptions, query: URLSearchParams, after: string | undefined): Promise<void> {
  let last = after;
  let failingSince: number | undefined;
  for (;;) {
    try {
      const response = await open(options, `/api/v2/events?${query}`, {
        accept: "text/event-stream",
        ...(last === undefined ? {} : { "last-event-id": last }),
      });
      failingSince = undefined;
      for await (const { id, data } of messagesOf(response)) {
        show(options, JSON.parse(data) as SystemEvent);
        last = id ?? last;
      }
    } catch (error) {
      failingSince ??= performance.now();
      const isRefused = error instanceof RestFailure && error.status < 500;
      if (isRefused || performance.now() - failingSince > reconnectForMs) throw error;
    }
    await sleep(reconnectEveryMs);
  }
}

async function* messagesOf(response: IncomingMessage): AsyncGenerator<EventSourceMessage> {
  const received: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => received.push(message) });
  for await (const text of response.setEncoding("utf8")) {
    parser.feed(String(text));
    yield* received.splice(0);
  }
}

function show({ json }: GlobalOptions, event: SystemEvent): void {
  if (json) {
    printJsonLine(event);
    return;
  }
  const { timestamp, severity, type, appName, message, actor } = event;
  const who = actor ? ` (${actor})` : "";
  print(harmless(`${timestamp} ${severity.padEnd(7)} ${type.padEnd(20)} ${appName ?? "-"}  ${message}${who}`));
}
