/** Maximum size of a log line in bytes of UTF-8. A longer line is cut (docs/interface/logs.md#lines). */
export const maxLogLineBytes = 16 * 1024;

/** One line that a container printed. */
export interface LogLine {
  /**
   * When it was printed: RFC 3339, UTC, with nine digits of a second, so that times can be compared as text. Does not decrease
   * within a stream.
   */
  readonly time: string;
  /** `unknown`: the engine reports both as one. */
  readonly stream: "stdout" | "stderr" | "unknown";
  /** Without the end of the line, at most {@link maxLogLineBytes}. */
  readonly text: string;
  /** Whether the line was longer. */
  readonly isCut: boolean;
}

const lineFeed = 10;

/** A line without its time and stream. */
export type LogText = Pick<LogLine, "text" | "isCut">;

/** Splits the output of a program into lines. Keeps at most {@link maxLogLineBytes} of an unfinished line. */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #kept = 0;
  #isCut = false;

  /** Whether there is an unfinished line. */
  get isInLine(): boolean {
    return this.#kept > 0;
  }

  /** Returns the lines that end in these bytes. */
  push(bytes: Buffer): LogText[] {
    const lines: LogText[] = [];
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, from)) {
      this.#keep(bytes.subarray(from, end));
      lines.push(this.#finish());
      from = end + 1;
    }
    this.#keep(bytes.subarray(from));
    return lines;
  }

  /** Returns the unfinished line, and starts a new one. */
  end(): LogText[] {
    return this.isInLine ? [this.#finish()] : [];
  }

  #keep(bytes: Buffer): void {
    const space = maxLogLineBytes - this.#kept;
    if (bytes.length > space) this.#isCut = true;
    const kept = bytes.subarray(0, space);
    if (kept.length === 0) return;
    // A copy: the buffer that was read may be much larger, or be used again.
    this.#pieces.push(Buffer.from(kept));
    this.#kept += kept.length;
  }

  #finish(): LogText {
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    const isCut = this.#isCut;
    this.#pieces = [];
    this.#kept = 0;
    this.#isCut = false;
    return { text: bytes.toString("utf8", 0, isCut ? wholeCharacters(bytes) : bytes.length).replace(/\r$/, ""), isCut };
  }
}

/** Returns the length without an incomplete last character. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return bytes.length - back + (back >= lengthOf(byte) ? back : 0);
    if (byte < 0x80) break;
  }
  return bytes.length;
}

/** Returns the length of a character of UTF-8 by its first byte. */
function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}

const timeForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** The last seconds that were found valid. The lines of a log have mostly the same. */
let lastSeconds = "";

/** Returns a time of RFC 3339 in the form of {@link LogLine.time}; undefined if it is none. */
export function logTime(text: string): string | undefined {
  const [, seconds = "", fraction = "", zone = ""] = timeForm.exec(text) ?? [];
  if (zone === "Z" && seconds === lastSeconds) return `${seconds}.${fraction.padEnd(9, "0")}Z`;
  const time = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(time)) return undefined;
  const inUtc = new Date(time).toISOString().slice(0, 19);
  if (zone === "Z") lastSeconds = seconds;
  return `${inUtc}.${fraction.padEnd(9, "0")}Z`;
}

/** Returns the milliseconds, and a count of nanoseconds within them, in the form of {@link LogLine.time}. */
export function logTimeOf(ms: number, nanoseconds = 0): string {
  return `${new Date(ms).toISOString().slice(0, -1)}${String(Math.min(nanoseconds, 999_999)).padStart(6, "0")}Z`;
}
