import { currentTrace } from "./current-trace.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * Prints one line of JSON to standard output: level, time, message, fields, and the request id and trace id of what the app is
 * doing, so that the platform finds the line (docs/interface/traces.md#apps). Errors are printed with their stacks.
 */
export function logLine(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  const { requestId, traceparent } = currentTrace();
  const [, traceId] = traceparent?.split("-") ?? [];
  const line = { level, time: new Date().toISOString(), msg: message, ...fields, requestId, traceId };
  console.log(JSON.stringify(line, printable));
}

function printable(_key: string, value: unknown): unknown {
  if (value instanceof Error) return value.stack ?? String(value);
  return typeof value === "bigint" ? String(value) : value;
}
