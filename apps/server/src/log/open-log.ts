import { describeError, type Logger, OutageLog, SystemClock } from "@appserver/kernel";
import { multistream, pino, stdTimeFunctions } from "pino";
import { LogDestination, type LogDestinationOptions } from "./log-destination.ts";
import { PinoLogger } from "./pino-logger.ts";

type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogOptions {
  /** Name of the process in each line. */
  readonly service: string;
  readonly level: LogLevel;
  /** Default: standard output. With a file, errors also go to standard error. */
  readonly output?: { readonly file: string; readonly muted?: MutedLog } | "standard error";
}

/** Why no line may be written to the file, or to standard error, now. Called for each line. */
export interface MutedLog {
  readonly file: () => string | undefined;
  readonly terminal: () => string | undefined;
}

/**
 * Opens the log of a process: JSON lines. Requests do not wait for the reader of the log, and a failed write does not stop or
 * end the process ({@link LogDestination}).
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
  const muted = typeof output === "object" ? output.muted : undefined;
  const terminal = new LogDestination({ target: { descriptor: 2 }, droppedLine, ...mutedBy(muted?.terminal) });
  const report = (text: string): void => terminal.write(`appserver: ${text}\n`);
  if (output === "standard error") {
    return new PinoLogger({ pino: pino(options, terminal), write: (line) => terminal.write(line), bindings: base });
  }
  const target = output ?? { descriptor: 1 };
  const main = new LogDestination({ target, droppedLine, report, ...mutedBy(muted?.file) });
  const log =
    output === undefined
      ? pino(options, main)
      : pino(
          options,
          multistream([
            { level, stream: main },
            { level: "error", stream: terminal },
          ]),
        );
  return new OutageLog(new PinoLogger({ pino: log, write: (line) => main.write(line), bindings: base }), new SystemClock());
}

function mutedBy(muted: (() => string | undefined) | undefined): Pick<LogDestinationOptions, "muted"> {
  return muted ? { muted } : {};
}
