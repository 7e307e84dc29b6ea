import { AppError, type Call, type Clock, isAppError, requirePermission, within } from "@appserver/kernel";
import { containsId } from "../domain/line-ids.ts";
import { type LogsContext, maxReadLines, type ReadLine, readLog } from "./read-log.ts";

export interface LogSearch {
  readonly appNames: readonly string[];
  /** Request ids and trace ids. */
  readonly ids: ReadonlySet<string>;
  /** Only later lines. */
  readonly since: Date;
}

export interface FoundLine extends ReadLine {
  readonly appName: string;
}

export interface FoundLines {
  /** Oldest first. */
  readonly lines: readonly FoundLine[];
  /** The apps whose log could not be read, or of which more matches than was searched or returned. */
  readonly incomplete: readonly string[];
}

/** Limits of docs/interface/limits.md#traces. */
const maxApps = 10;
const maxFound = 200;
const patienceMs = 5_000;

/**
 * Returns the lines that contain one of the ids, among the last 1,000 of each app. An app without a container has none. Needs
 * `app:logs`. An app whose log cannot be read is named in the result.
 */
export async function searchLogs(
  context: LogsContext & { readonly clock: Clock },
  { appNames, ids, since }: LogSearch,
  call: Call,
): Promise<FoundLines> {
  await requirePermission(context.permissions, call, "app:logs");
  const searched = await Promise.all(appNames.slice(0, maxApps).map((name) => searchLog(context, { name, ids, since }, call)));
  const all = searched.flatMap(({ lines }) => lines).sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
  const incomplete = new Set([
    ...searched.filter(({ isComplete }) => !isComplete).map(({ name }) => name),
    ...all.slice(maxFound).map(({ appName }) => appName),
    ...appNames.slice(maxApps),
  ]);
  return { lines: all.slice(0, maxFound), incomplete: [...incomplete] };
}

interface SearchedLog {
  readonly name: string;
  readonly lines: readonly FoundLine[];
  readonly isComplete: boolean;
}

async function searchLog(
  context: LogsContext & { readonly clock: Clock },
  { name, ids, since }: Pick<LogSearch, "ids" | "since"> & { readonly name: string },
  call: Call,
): Promise<SearchedLog> {
  const error = (): AppError => new AppError("SERVICE_UNAVAILABLE", `the log of ${name} was not read within ${patienceMs} ms`);
  const input = { name, since: since.toISOString() };
  const read = (signal: AbortSignal) => readLog(context, input, withSignal(call, signal));
  try {
    const { lines, leftOut } = await within(read, { clock: context.clock, ms: patienceMs, signal: call.signal, error });
    const found = lines.filter(({ text }) => containsId(text, ids)).map((line) => ({ ...line, appName: name }));
    return { name, lines: found, isComplete: leftOut === 0 && lines.length < maxReadLines };
  } catch (error) {
    // An app that has no container any more, or none at all.
    if (isAppError(error, "NOT_FOUND") || isAppError(error, "INVALID_STATE")) return { name, lines: [], isComplete: true };
    if (!isAppError(error) || error.code === "PERMISSION_DENIED") throw error;
    return { name, lines: [], isComplete: false };
  }
}

function withSignal({ caller, requestId, traceparent, required, signal: ended }: Call, signal: AbortSignal): Call {
  return { caller, requestId, traceparent, required, signal: AbortSignal.any([ended, signal]) };
}
