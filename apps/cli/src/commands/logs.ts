import { LogStream, type TailLogsResponse } from "@appserver/contracts/proto/appserver/v2/marketplace";
import type { PlatformClient } from "@appserver/sdk";
import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { GlobalOptions } from "../global-options.ts";
import { print } from "../output.ts";
import { connect } from "../platform.ts";
import { sleep } from "../sleep.ts";
import { UsageError } from "../usage-error.ts";

export interface LogFlags {
  readonly follow?: boolean;
  readonly tail?: number;
  /** A duration such as `10m`, or a time of RFC 3339. */
  readonly since?: string;
}

const reconnectEveryMs = 1_000;
const reconnectForMs = 60_000;

/** Prints what the containers of an app have printed, and with `follow` what they print. */
export async function showLogs(options: GlobalOptions, name: string, flags: LogFlags): Promise<void> {
  const { marketplace } = connect(options);
  const printed = new PrintedLog(options);
  const since = flags.since === undefined ? undefined : timestampFromDate(sinceOf(flags.since));
  let request = { name, tail: flags.tail, since, follow: flags.follow === true };
  for (let triedSince = performance.now(); ; ) {
    try {
      for await (const part of tail(marketplace, request)) {
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

function tail(marketplace: PlatformClient["marketplace"], request: Parameters<typeof marketplace.tailLogs>[0]) {
  return marketplace.tailLogs(request, request.follow === true ? { timeoutMs: 0 } : {});
}

/** Whether the connection broke, or the server stopped: no refusal. */
function isBroken(error: unknown): boolean {
  return error instanceof ConnectError && [Code.Unavailable, Code.Canceled, Code.Internal, Code.Aborted].includes(error.code);
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
      if (this.#isJson) print(JSON.stringify({ time: at, stream: name, text, isCut, container, generation }));
      else print(`${harmless(text)}${isCut ? " … (cut)" : ""}`);
    }
  }

  #note(value: object, text: string): void {
    if (this.#isJson) print(JSON.stringify(value));
    else process.stderr.write(`--- ${text} ---\n`);
  }
}

/** A sequence of SGR (ECMA-48 8.3.117), control characters, and characters that turn the direction of writing. */
const unsafe = /\x1b\[[\d;]*m|[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const reset = "\x1b[0m";

/** Returns the text of a line without anything that changes the terminal. Colours stay, and end with the line. */
export function harmless(text: string): string {
  let isStyled = false;
  const shown = text.replace(unsafe, (found) => {
    if (!isStyle(found)) return escaped(found);
    isStyled = true;
    return found;
  });
  return isStyled ? shown + reset : shown;
}

/** Returns whether a sequence sets colours, weight and the like, and hides nothing: 8 conceals. */
function isStyle(sequence: string): boolean {
  if (sequence.length === 1) return false;
  const codes = sequence.slice(2, -1).replace(/(?<=^|;)[34]8;(?:5;\d+|2;\d+;\d+;\d+)(?=;|$)/g, "0");
  return codes.split(";").every((code) => Number(code) <= 107 && ![8, 38, 48, 58].includes(Number(code)));
}

function escaped(text: string): string {
  return text.replace(/^./s, (character) => {
    const hex = character.charCodeAt(0).toString(16);
    return hex.length > 2 ? `\\u${hex.padStart(4, "0")}` : `\\x${hex.padStart(2, "0")}`;
  });
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
