import type { AppLogEntry, AppLogLine, AppLogs } from "@appserver/contracts/graphql/types";
import type { Call, LogLine } from "@appserver/kernel";

import type { LogSource } from "../domain/log-messages.ts";
import type { LogEntry } from "../ports.ts";
import { type LogInput, type LogsContext, readLog, tailLog } from "../use-cases/read-log.ts";

interface LogArguments {
  readonly name: string;
  readonly tail?: number | null;
  readonly since?: string | null;
  readonly instance?: string | null;
}

/** Resolvers of logs. They only translate. */
export function logsResolvers(context: LogsContext) {
  return {
    Query: {
      appLogs: async (_: unknown, args: LogArguments, call: Call): Promise<AppLogs> => {
        const { lines, leftOut } = await readLog(context, inputOf(args), call);
        return { lines: lines.map((line) => presentLine(line, line.source)), linesLeftOut: leftOut };
      },
    },
    Subscription: {
      appLog: {
        subscribe: async function* (
          _: unknown,
          { follow, ...args }: LogArguments & { readonly follow?: boolean | null },
          call: Call,
        ): AsyncGenerator<AppLogEntry> {
          const input = { ...inputOf(args), follow: follow ?? true };
          for await (const entry of tailLog(context, input, call)) yield presentEntry(entry);
        },
      },
    },
  };
}

function inputOf({ name, tail, since, instance }: LogArguments): LogInput {
  return { name, tail: tail ?? undefined, since: since ?? undefined, instance: instance ?? undefined };
}

function presentEntry({ source, isStart, leftOut, lines }: LogEntry): AppLogEntry {
  return {
    container: source?.container,
    generation: source?.generation,
    instance: source?.instance,
    isStart,
    linesLeftOut: leftOut,
    lines: lines.map((line) => presentLine(line, source)),
  };
}

const graphqlStream = { stdout: "STDOUT", stderr: "STDERR", unknown: "UNKNOWN" } as const;

/** Returns a line as GraphQL shows it. */
export function presentLine({ time, stream, text, isCut }: LogLine, source: LogSource | undefined): AppLogLine {
  return {
    // Milliseconds, as every DateTime.
    time: `${time.slice(0, 23)}Z`,
    stream: graphqlStream[stream],
    text,
    isCut,
    container: source?.container ?? "",
    generation: source?.generation ?? 0,
    instance: source?.instance,
  };
}
