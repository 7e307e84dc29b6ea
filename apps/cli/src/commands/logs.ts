import { follow, isLost, reconnectEveryMs, reconnectForMs } from "../follow.ts";
import { FollowedLines } from "../followed-lines.ts";
import { AppLogDocument, type AppLogSubscription, type LogLineFragment } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { harmless } from "../harmless.ts";
import { note, print, printJsonLine } from "../output.ts";
import { sleep } from "../sleep.ts";
import { timeOf } from "../time-argument.ts";

export interface LogFlags {
  readonly follow?: boolean;
  readonly tail?: number;
  /** A duration such as `10m`, or a time of RFC 3339. */
  readonly since?: string;
  /** The beginning of the id of an instance. */
  readonly instance?: string;
}

export interface LogDisplay {
  /** Returns a line as it is printed. Default: as it is. */
  readonly textOf?: (line: string) => string;
  /** Whether starts of containers are left out. Default false. */
  readonly hidesStarts?: boolean;
}

/** Prints what the containers of an app have printed, and with `follow` what they print. */
export async function showLogs(options: GlobalOptions, name: string, flags: LogFlags, display: LogDisplay = {}): Promise<void> {
  const printed = new PrintedLog(options, display);
  const since = flags.since === undefined ? undefined : timeOf("--since", flags.since);
  let request = { name, tail: flags.tail, since, follow: flags.follow === true, instance: flags.instance };
  for (let triedSince = performance.now(); ; await sleep(reconnectEveryMs)) {
    try {
      for await (const { appLog } of follow(options, AppLogDocument, request)) {
        printed.add(appLog);
        triedSince = performance.now();
      }
      // A server that stops ends its streams.
      if (!request.follow) return;
    } catch (error) {
      const mayContinue = request.follow && printed.hasAny && performance.now() - triedSince <= reconnectForMs;
      if (!isLost(error) || !mayContinue) throw error;
    }
    // Another server continues after the last lines.
    printed.lines.interrupted();
    request = { ...request, tail: undefined, since: printed.lines.since ?? request.since };
  }
}

/** Prints lines on standard output, and what the platform says about them on standard error. */
class PrintedLog {
  readonly #isJson: boolean;
  readonly #textOf: (line: string) => string;
  readonly #hidesStarts: boolean;
  readonly lines = new FollowedLines();
  hasAny = false;

  constructor({ json }: GlobalOptions, { textOf = (line) => line, hidesStarts = false }: LogDisplay) {
    this.#isJson = json;
    this.#textOf = textOf;
    this.#hidesStarts = hidesStarts;
  }

  add({ container, generation, instance, isStart, linesLeftOut, lines }: AppLogSubscription["appLog"]): void {
    this.hasAny = true;
    if (linesLeftOut > 0) this.#note({ linesLeftOut }, `${linesLeftOut} lines left out`);
    if (isStart && !this.#hidesStarts)
      this.#note({ started: container, generation, ...named(instance) }, `${container} started, generation ${generation}`);
    for (const line of lines) if (this.lines.add(line)) this.#print(line);
  }

  #print({ time, stream, text, isCut, container, generation, instance }: LogLineFragment): void {
    if (this.#isJson)
      printJsonLine({ time, stream: stream.toLowerCase(), text, isCut, container, generation, ...named(instance) });
    else print(`${harmless(this.#textOf(text))}${isCut ? " … (cut)" : ""}`);
  }

  #note(value: object, text: string): void {
    if (this.#isJson) printJsonLine(value);
    else note(`--- ${text} ---`);
  }
}

function named(instance: string | null | undefined): { readonly instance?: string } {
  return instance == null ? {} : { instance };
}
