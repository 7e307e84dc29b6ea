import { describeError, type Logger } from "@appserver/kernel";
import { multistream, pino, stdTimeFunctions } from "pino";
import { LogDestination } from "./log-destination.ts";

type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogOptions {
  /** Names the process in each line. */
  readonly service: string;
  readonly level: LogLevel;
  /** Default: standard output. With a file, errors go to standard error, too. */
  readonly output?: { readonly file: string } | "standard error";
}

/**
 * The log of a process: JSON lines. No request waits for what reads them, and no failure to write them ends or stops the
 * process ({@link LogDestination}).
 */
export function openLog({ service, level, output }: LogOptions): Logger {
  const base = { service, pid: process.pid };
  const options = {
    level,
    base,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  const droppedLine = (dropped: number, reason: string): string =>
    JSON.stringify({ level: "warn", time: new Date().toISOString(), ...base, dropped, reason, msg: "log lines were dropped" });
  const terminal = new LogDestination({ target: { descriptor: 2 }, droppedLine });
  const report = (text: string): void => terminal.write(`appserver: ${text}\n`);
  if (output === "standard error") return pino(options, terminal);
  const target = output ?? { descriptor: 1 };
  const main = new LogDestination({ target, droppedLine, report });
  if (output === undefined) return pino(options, main);
  return pino(
    options,
    multistream([
      { level, stream: main },
      { level: "error", stream: terminal },
    ]),
  );
}
