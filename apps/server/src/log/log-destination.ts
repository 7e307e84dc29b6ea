import { closeSync, constants, fchmodSync, fstatSync, openSync, write, writeSync } from "node:fs";

export interface LogDestinationOptions {
  /** A file, created if missing and readable only by its owner, or an open descriptor of this process. */
  readonly target: { readonly file: string } | { readonly descriptor: number };
  /** Returns the log line to write when lines were dropped, without the line break. */
  readonly droppedLine: (dropped: number, reason: string) => string;
  /** Called once when writes to the target begin to fail, and once when they succeed again. */
  readonly report?: (text: string) => void;
  /**
   * Returns the reason why no line may be written now. Called for every line. Lines are then dropped and counted; the count is
   * written before the next line that may be written.
   */
  readonly muted?: () => string | undefined;
  /** Maximum characters of waiting lines. Lines beyond it are dropped. Default 4 Mi. */
  readonly maxQueued?: number;
  /** Pause before a failed target is tried again. Default 1 s. */
  readonly retryMs?: number;
  /** How long lines wait for others, to be written with them. Default 10 ms. */
  readonly gatherMs?: number;
}

/** So many characters are written at once. */
const full = 64 * 1024;
/** Pause before a full pipe is tried again. */
const fullPipeMs = 20;
/** Total time that an ending process waits for a full pipe. */
const exitPatienceMs = 500;
/** A write that takes longer than this is considered stuck, because its reader is stuck. */
const stuckMs = 1_000;
const newLine = 0x0a;

interface PendingWrite {
  readonly descriptor: number;
  readonly bytes: Buffer;
  /** The number of dropped lines that the bytes report. 0 for log lines. */
  readonly dropped: number;
}

/**
 * Writes log lines. Logging never ends or blocks the process: while the target cannot be written (full disk, closed pipe,
 * reader that does not read), lines are dropped and counted. The count is written to the log once the target can be written
 * again. Lines that wait when the process ends are written then.
 *
 * It does not use `pino.destination`: on an unhandled error that ends the process, and the process then tries to write the rest
 * forever.
 */
export class LogDestination {
  readonly #options: LogDestinationOptions;
  readonly #name: string;
  #descriptor: number | undefined;
  #queue: string[] = [];
  /** Characters. */
  #queued = 0;
  #dropped = 0;
  #reason = "";
  #failed = false;
  /** Whether the last byte written was not the end of a line. */
  #amidLine = false;
  #writingSince: number | undefined;
  /** Runs while lines wait for others. */
  #gathering: NodeJS.Timeout | undefined;
  /** The bytes that a full pipe did not accept. Tried again after a pause. */
  #postponed: PendingWrite | undefined;

  constructor(options: LogDestinationOptions) {
    this.#options = options;
    this.#name = "file" in options.target ? options.target.file : `descriptor ${options.target.descriptor}`;
    process.once("exit", () => this.#writeRest());
  }

  /** Queues one line with its line break, or drops it. Never throws, never waits. */
  write(line: string): void {
    const { maxQueued = 4 * 1024 * 1024, muted } = this.#options;
    const reason = muted?.();
    if (reason !== undefined) {
      this.#reason = reason;
      this.#dropped += 1;
      return;
    }
    if (this.#failed || this.#queued + line.length > maxQueued) {
      this.#reason = this.#failed ? this.#reason : "lines were logged faster than they could be written";
      this.#dropped += 1;
      return;
    }
    this.#queue.push(line);
    this.#queued += line.length;
    if (this.#writingSince === undefined) this.#writeSoon();
  }

  /** Each write costs a wake-up of another thread, more than the line itself. */
  #writeSoon(): void {
    if (this.#queued >= full) this.#writeQueue();
    else this.#gathering ??= setTimeout(() => this.#writeQueue(), this.#options.gatherMs ?? 10).unref();
  }

  /** Writes the count of dropped lines first, by itself: if that write fails, the lines are counted again. */
  #writeQueue(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#writingSince !== undefined) return;
    const dropped = this.#options.muted?.() === undefined ? this.#dropped : 0;
    const text = dropped > 0 ? this.#notice() : this.#queue.join("");
    if (text === "") return;
    if (dropped === 0) this.#clearQueue();
    else this.#dropped = 0;
    try {
      this.#writeAll({ descriptor: this.#open(), bytes: Buffer.from(text), dropped });
    } catch (error) {
      this.#fail(error, Buffer.from(text), dropped);
    }
  }

  #notice(): string {
    return `${this.#amidLine ? "\n" : ""}${this.#options.droppedLine(this.#dropped, this.#reason)}\n`;
  }

  #clearQueue(): void {
    this.#queue = [];
    this.#queued = 0;
  }

  #writeAll(work: PendingWrite): void {
    const { descriptor, bytes, dropped } = work;
    this.#writingSince ??= performance.now();
    this.#postponed = undefined;
    write(descriptor, bytes, (error, count) => {
      if (error?.code === "EAGAIN") {
        this.#postponed = work;
        setTimeout(() => this.#writeAll(work), fullPipeMs).unref();
        return;
      }
      if (error) return this.#fail(error, bytes, dropped);
      if (count > 0) this.#amidLine = bytes[count - 1] !== newLine;
      if (count < bytes.length) return this.#writeAll({ descriptor, bytes: bytes.subarray(count), dropped });
      this.#writingSince = undefined;
      this.#recovered(dropped);
      if (dropped > 0) this.#writeQueue();
      else if (this.#queue.length + this.#dropped > 0) this.#writeSoon();
    });
  }

  /** `dropped`: the number of dropped lines that the unwritten bytes report. 0 for log lines. */
  #fail(error: unknown, unwritten: Buffer, dropped: number): void {
    const lines = dropped > 0 ? dropped : unwritten.toString().trimEnd().split("\n").length;
    this.#dropped += lines + this.#queue.length;
    this.#clearQueue();
    this.#writingSince = undefined;
    this.#reason = (error as NodeJS.ErrnoException).code ?? String(error);
    if (!this.#failed) this.#options.report?.(`log lines are dropped: ${this.#name} cannot be written (${this.#reason})`);
    this.#failed = true;
    setTimeout(() => this.#writeQueue(), this.#options.retryMs ?? 1_000).unref();
  }

  #recovered(dropped: number): void {
    if (!this.#failed) return;
    this.#failed = false;
    this.#options.report?.(`${this.#name} can be written again, ${dropped} log lines were dropped`);
  }

  #open(): number {
    const { target } = this.#options;
    if ("descriptor" in target) {
      this.#descriptor ??= withoutWaiting(target.descriptor);
      return this.#descriptor;
    }
    // A failed file may have been moved or replaced since.
    if (this.#failed && this.#descriptor !== undefined) {
      closeSync(this.#descriptor);
      this.#descriptor = undefined;
    }
    if (this.#descriptor === undefined) {
      this.#descriptor = openSync(target.file, "a", 0o600);
      if (fstatSync(this.#descriptor).isFile()) fchmodSync(this.#descriptor, 0o600);
    }
    return this.#descriptor;
  }

  /** Writes all waiting lines when the process ends, for a limited time. */
  #writeRest(): void {
    const isUnderWay = this.#writingSince !== undefined && this.#postponed === undefined;
    if (isUnderWay && performance.now() - (this.#writingSince ?? 0) > stuckMs) {
      // A thread hangs in that write, and the process would wait for the thread.
      process.kill(process.pid, "SIGKILL");
    }
    if (this.#failed) return;
    // The lines of that write come first, but nothing tells an ending process when the thread has written them.
    if (isUnderWay) pause(fullPipeMs);
    const isNoticeDue = this.#dropped > 0 && this.#options.muted?.() === undefined;
    const notice = isNoticeDue ? this.#notice() : "";
    const rest = Buffer.concat([this.#postponed?.bytes ?? Buffer.alloc(0), Buffer.from(notice + this.#queue.join(""))]);
    const deadline = performance.now() + exitPatienceMs;
    let offset = 0;
    while (offset < rest.length) {
      try {
        offset += writeSync(this.#open(), rest, offset);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || performance.now() > deadline) return;
        pause(fullPipeMs);
      }
    }
  }
}

/** Blocks this thread. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Returns the descriptor, or for a pipe a new descriptor on the same pipe whose writes fail instead of waiting: a thread that
 * waits for a reader prevents the process from ending. The original descriptor is shared with other processes and is not
 * changed.
 */
function withoutWaiting(descriptor: number): number {
  try {
    if (!fstatSync(descriptor).isFIFO()) return descriptor;
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // /proc is missing, or the pipe belongs to another user.
    return descriptor;
  }
}
