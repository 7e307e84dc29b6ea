import { LogStream, type TailLogsResponse } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isBroken, reconnectEveryMs, reconnectForMs } from "../broken-connection.ts";
import type { GlobalOptions } from "../global-options.ts";
import { harmless } from "../harmless.ts";
import { note, print, printJsonLine } from "../output.ts";
import { connect } from "../platform.ts";
import { sleep } from "../sleep.ts";
import { UsageError } from "../usage-error.ts";

export interface LogFlags {
  readonly follow?: boolean;
  readonly tail?: number;
  /** A duration such as `10m`, or a time of RFC 3339. */
  readonly since?: string;
}

/** Prints what the containers of an app have printed, and with `follow` what they print. */
export async function showLogs(options: GlobalOptions, name: string, flags: LogFlags): Promise<void> {
  const { marketplace } = connect(options);
  const printed = new PrintedLog(options);
  const since = flags.since === undefined ? undefined : timestampFromDate(sinceOf(flags.since));
  let request = { name, tail: flags.tail, since, follow: flags.follow === true };
  for (let triedSince = performance.now(); ; ) {
    try {
      for await (const part of marketplace.tailLogs(request)) {
        printed.add(part);
        triedSince = performance.now();
      }
      // A server that stops ends its streams.
      if (!request.follow) return;
    } catch (error) {
      const isLost = request.follow && printed.hasAny && isBroken(error);
      if (!isLost || performance.now() - triedSince > reconnectForMs) throw error;
    }
    // Another server continues after the last line.
    await sleep(reconnectEveryMs);
    request = { ...request, tail: undefined, since: printed.lastTime ?? request.since };
  }
}

/** Prints lines on standard output, and what the platform says about them on standard error. */
class PrintedLog {
  readonly #isJson: boolean;
  hasAny = false;
  lastTime: Timestamp | undefined;

  constructor({ json }: GlobalOptions) {
    this.#isJson = json;
  }

  add({ container, generation, isStart, linesLeftOut, lines }: TailLogsResponse): void {
    this.hasAny = true;
    if (linesLeftOut > 0) this.#note({ linesLeftOut }, `${linesLeftOut} lines left out`);
    if (isStart) this.#note({ started: container, generation }, `${container} started, generation ${generation}`);
    for (const { time, stream, text, isCut } of lines) {
      this.lastTime = time;
      const at = time && timestampDate(time).toISOString();
      const name = stream === LogStream.STDERR ? "stderr" : "stdout";
      if (this.#isJson) printJsonLine({ time: at, stream: name, text, isCut, container, generation });
      else print(`${harmless(text)}${isCut ? " … (cut)" : ""}`);
    }
  }

  #note(value: object, text: string): void {
    if (this.#isJson) printJsonLine(value);
    else note(`--- ${text} ---`);
  }
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Returns the time that is meant. Throws {@link UsageError}. */
export function sinceOf(text: string, now: number = Date.now()): Date {
  const [, amount, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const time = amount === undefined ? Date.parse(text) : now - Number(amount) * (units[unit] ?? 0) * 1_000;
  const isTime = amount !== undefined || /^\d{4}-\d\d-\d\dT/.test(text);
  if (!isTime || Number.isNaN(new Date(time).getTime()) || time < 0)
    throw new UsageError(
      `--since must be a duration like 30s, 10m, 2h, 1d, or a time like 2026-01-31T12:00:00Z, got "${text}"`,
    );
  return new Date(time);
}
