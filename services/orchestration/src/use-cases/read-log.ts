import {
  AppError,
  actorOf,
  type Call,
  invalidField,
  type LogLine,
  logTime,
  type Permissions,
  requirePermission,
} from "@appserver/kernel";

import { type LogSource, sourceKey } from "../domain/log-messages.ts";
import type { LogEntry, LoggedApps, LogReader } from "../ports.ts";

export interface LogsContext {
  readonly permissions: Permissions;
  readonly apps: LoggedApps;
  readonly logs: LogReader;
}

export interface LogInput {
  readonly name: string;
  /** Only the last lines. Undefined: 100 without `since`, else all. */
  readonly tail?: number | undefined;
  /** Only later lines. RFC 3339. */
  readonly since?: string | undefined;
  /** Only instances whose id begins with it. Undefined: all. */
  readonly instance?: string | undefined;
}

/** Limits of docs/interface/limits.md#logs. */
const maxTail = 10_000;
export const maxReadLines = 1_000;
const maxReadBytes = 1_048_576;
const defaultTail = 100;
const instanceForm = /^[\w.-]{1,128}$/;

/** A line with the instance that printed it. */
export interface ReadLine extends LogLine {
  readonly source: LogSource | undefined;
}

export interface ReadLog {
  readonly lines: readonly ReadLine[];
  /** The number of requested lines before them that exceed the size of a result, or did not arrive. */
  readonly leftOut: number;
}

/**
 * Returns the last lines of an app, at most 1,000 lines and 1 MiB. Needs `app:logs`. Throws INVALID_REQUEST, NOT_FOUND for an
 * unknown app, INVALID_STATE for an app without a container, SERVICE_UNAVAILABLE if no orchestrator sends the log.
 */
export async function readLog(context: LogsContext, input: LogInput, call: Call): Promise<ReadLog> {
  const query = await prepare(
    context,
    { ...input, tail: input.tail ?? (input.since === undefined ? defaultTail : maxReadLines) },
    call,
    maxReadLines,
  );
  const lines: ReadLine[] = [];
  const sources = new Set<string>();
  let [leftOut, bytes] = [0, 0];
  for await (const entry of context.logs.read({ ...query, follow: false }, call.signal, async () => true)) {
    leftOut += entry.leftOut;
    for (const line of entry.lines) {
      lines.push({ ...line, source: entry.source });
      bytes += line.text.length;
    }
    if (entry.source) sources.add(sourceKey(entry.source));
    // Several instances have as many lines each, and come one after the other.
    if (sources.size > 1) lines.sort(byTime);
    while (lines.length > (query.tail ?? maxReadLines) || bytes > maxReadBytes) {
      bytes -= lines.shift()?.text.length ?? 0;
      leftOut += 1;
    }
  }
  return { lines, leftOut };
}

function byTime({ time: a }: ReadLine, { time: b }: ReadLine): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Yields what the containers of an app have printed, and with `follow` what they and their successors print. Ends with the call,
 * or when the app no longer has a container. Needs `app:logs`. Throws as {@link readLog}.
 */
export async function* tailLog(
  context: LogsContext,
  { follow, ...input }: LogInput & { readonly follow: boolean },
  call: Call,
): AsyncGenerator<LogEntry> {
  const query = await prepare(context, input, call, maxTail);
  const hasContainer = async (): Promise<boolean> => (await problemOf(context, input.name)) === undefined;
  yield* context.logs.read({ ...query, follow }, call.signal, hasContainer);
}

async function prepare({ permissions, ...context }: LogsContext, input: LogInput, call: Call, limit: number) {
  await requirePermission(permissions, call, "app:logs");
  const { name: appName, instance, tail = input.since === undefined ? defaultTail : undefined } = input;
  if (tail !== undefined && !(Number.isInteger(tail) && tail >= 0 && tail <= limit))
    throw invalidField("tail", `must be 0 to ${limit}, got ${tail}`);
  const since = input.since === undefined ? undefined : logTime(input.since);
  if (input.since !== undefined && since === undefined)
    throw invalidField("since", "must be a time of RFC 3339, such as 2026-01-31T12:00:00Z");
  if (instance !== undefined && !instanceForm.test(instance))
    throw invalidField("instance", "must be the beginning of the id of an instance: 1 to 128 letters, digits and -._");
  const problem = await problemOf(context, appName);
  if (problem) throw problem;
  return { appName, reader: actorOf(call.caller), tail, since, instance };
}

/** Returns why the app has no log. */
async function problemOf({ apps }: Pick<LogsContext, "apps">, name: string): Promise<AppError | undefined> {
  const app = await apps.find(name);
  const details = { app: name };
  if (!app) return new AppError("NOT_FOUND", `no app is registered under the name ${JSON.stringify(name)}`, { details });
  const refuse = (reason: string): AppError =>
    new AppError("INVALID_STATE", `${name} has no container, and so no log: ${reason}`, { details });
  if (!app.needsContainer) return refuse("its backend runs outside of the platform, or it has none");
  if (!app.isInstalled) return refuse(`it is ${app.state}`);
  return app.isEnabled ? undefined : refuse("it is disabled");
}
