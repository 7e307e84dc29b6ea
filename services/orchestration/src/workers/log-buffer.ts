import { type Clock, type LogLine, logTimeOf, WakeUp } from "@appserver/kernel";

import { type LogSource, sourceKey } from "../domain/log-messages.ts";

/** Lines that wait to be sent. */
export interface LogPart {
  readonly source: LogSource;
  readonly isStart: boolean;
  readonly lines: readonly LogLine[];
  /** The number of lines before it, with those that were left out. */
  readonly before: number;
}

export interface LogBufferOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Maximum bytes of all waiting lines. One batch of a driver may exceed it. */
  readonly maxBytes: number;
  /** How long lines wait for space before they are left out. A reader that takes something starts it again. */
  readonly timeoutMs: number;
  /** A full buffer leaves lines out that were printed after the start and are older than this. */
  readonly maxAgeMs: number;
}

/** Maximum lines of one chunk, and the bytes after which it ends. */
const chunkLines = 1_000;
const chunkBytes = 65_536;

/**
 * The lines of a session that are not sent yet, of all its containers. While a reader keeps up, a full buffer makes the engine
 * wait. A reader that takes nothing for some time loses lines, which are counted but not kept. So does one that takes less than is
 * printed: it would fall behind until the engine deletes lines before they are read, and those would not be counted.
 */
export class LogBuffer {
  readonly #options: LogBufferOptions;
  readonly #parts: LogPart[] = [];
  readonly #writers = new Set<WakeUp>();
  #bytes = 0;
  #lines = 0;
  #fullSince: number | undefined;
  readonly #startedAt: string;

  constructor(options: LogBufferOptions) {
    this.#options = options;
    this.#startedAt = logTimeOf(options.clock.now());
  }

  /** The number of lines so far, with those that were left out. */
  get lines(): number {
    return this.#lines;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Adds lines. Resolves when more may be added. */
  async add(source: LogSource, lines: readonly LogLine[], isStart = false): Promise<void> {
    const { clock, signal, timeoutMs } = this.#options;
    const space = new WakeUp(clock, signal);
    this.#writers.add(space);
    try {
      while (this.#isFull && !signal.aborted) {
        this.#fullSince ??= clock.monotonic();
        const leftMs = this.#fullSince + timeoutMs - clock.monotonic();
        if (!isStart && (leftMs <= 0 || this.#isOld(lines[0]))) {
          this.leaveOut(lines.length);
          return;
        }
        await space.pause(leftMs <= 0 ? timeoutMs : leftMs);
      }
      // Counted now: while these lines waited, lines of another container may have been added.
      const before = this.#lines;
      this.#lines += lines.length;
      for (const piece of pieces(lines)) {
        this.#parts.push({ source, isStart: isStart && piece.at === 0, lines: piece.lines, before: before + piece.at });
        this.#bytes += sizeOf(piece.lines);
      }
    } finally {
      this.#writers.delete(space);
    }
  }

  /** Counts lines that are not sent. */
  leaveOut(count: number): void {
    this.#lines += count;
  }

  /** Returns the next chunk. */
  take(): LogPart | undefined {
    const part = this.#shift();
    if (part) this.#bytes -= sizeOf(part.lines);
    if (!this.#isFull) {
      this.#fullSince = undefined;
      for (const writer of this.#writers) writer.wake();
    }
    return part;
  }

  /** Joins parts that follow each other: an engine returns lines one by one. */
  #shift(): LogPart | undefined {
    const [first] = this.#parts;
    if (!first) return undefined;
    const lines = [...first.lines];
    let bytes = sizeOf(lines);
    let count = 1;
    for (; bytes < chunkBytes; count += 1) {
      const next = this.#parts[count];
      const follows = next?.before === first.before + lines.length && sourceKey(next.source) === sourceKey(first.source);
      if (!follows || next.isStart || lines.length + next.lines.length > chunkLines) break;
      for (const line of next.lines) lines.push(line);
      bytes += sizeOf(next.lines);
    }
    this.#parts.splice(0, count);
    return { ...first, lines };
  }

  #isOld(line: LogLine | undefined): boolean {
    const { clock, maxAgeMs } = this.#options;
    return line !== undefined && line.time > this.#startedAt && clock.now() - Date.parse(line.time) > maxAgeMs;
  }

  get #isFull(): boolean {
    return this.#bytes >= this.#options.maxBytes;
  }
}

interface Piece {
  readonly at: number;
  readonly lines: readonly LogLine[];
}

/** Splits lines into chunks. Without lines there is one empty chunk. */
function pieces(lines: readonly LogLine[]): readonly Piece[] {
  const found: Piece[] = [];
  let [at, bytes] = [0, 0];
  for (const [index, line] of lines.entries()) {
    if (index > at && (index - at >= chunkLines || bytes >= chunkBytes)) {
      found.push({ at, lines: lines.slice(at, index) });
      [at, bytes] = [index, 0];
    }
    bytes += sizeOfLine(line);
  }
  return [...found, { at, lines: lines.slice(at) }];
}

function sizeOf(lines: readonly LogLine[]): number {
  return lines.reduce((bytes, line) => bytes + sizeOfLine(line), 0);
}

/** Returns about the memory of a line. Every line needs some, also an empty one. */
function sizeOfLine({ text }: LogLine): number {
  return text.length + 100;
}
