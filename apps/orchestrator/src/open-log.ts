import { describeError, type Logger } from "@appserver/kernel";
import { pino } from "pino";

/**
 * The log of a process: JSON lines on standard output. No request waits for whoever reads them; what is not written yet is
 * written when the process ends.
 */
export function openLog(service: string, level: "debug" | "info" | "warn" | "error"): Logger {
  const base = { service, pid: process.pid };
  return pino({ level, base, serializers: { err: describeError } }, pino.destination({ dest: 1, sync: false }));
}
