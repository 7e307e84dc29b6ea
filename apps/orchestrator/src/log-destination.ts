import { closeSync, constants, fchmodSync, fstatSync, openSync, write, writeSync } from "node:fs";

export interface LogDestinationOptions {
  /** A file, made when absent and readable by its owner only, or a descriptor that this process was given. */
  readonly target: { readonly file: string } | { readonly descriptor: number };
  /** The log line to write when lines were dropped; without the line break. */
  readonly droppedLine: (dropped: number, reason: string) => string;
  /** Called once when the target begins to fail, and once when it takes lines again. */
  readonly report?: (text: string) => void;
  /** Lines that wait for more than this are dropped. Default 4 MiB. */
  readonly maxQueuedBytes?: number;
  /** Pause before a failed target is tried again. Default 1 s. */
  readonly retryMs?: number;
}

/** A pipe that is full is tried again after this pause. */
const fullPipeMs = 20;
/** A process that ends waits this long in all for a full pipe. */
const exitPatienceMs = 500;
/** A write that has not returned for so long does not return: its reader is stuck. */
const stuckMs = 1_000;
const newLine = 0x0a;

interface PendingWrite {
  readonly descriptor: number;
  readonly bytes: Buffer;
  /** The count of dropped lines that the bytes report; 0 for log lines. */
  readonly dropped: number;
}

/**
 * Where log lines go. Logging never ends a process and never stops it: while the target cannot be written (full disk,
 * closed pipe, reader that does not read), lines are dropped and counted, and the count is written to the log once the
 * target takes lines again. Lines that wait when the process ends are written then.
 *
 * Not `pino.destination`: on an error that nobody handles it ends the process, and the process then tries to write the rest
 * for ever.
 */
export class LogDestination {
  readonly #options: LogDestinationOptions;
  readonly #name: string;
  #descriptor: number | undefined;
  #queue: string[] = [];
  #queuedBytes = 0;
  #dropped = 0;
  #reason = "";
  #failed = false;
  /** The last byte written was not the end of a line. */
  #amidLine = false;
  #writingSince: number | undefined;
  /** What a full pipe did not take; tried again after a pause. */
  #postponed: PendingWrite | undefined;

  constructor(options: LogDestinationOptions) {
    this.#options = options;
    this.#name = "file" in options.target ? options.target.file : `descriptor ${options.target.descriptor}`;
    process.once("exit", () => this.#writeRest());
  }

  /** Takes one line with its line break, or drops it; never throws, never waits. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    const { maxQueuedBytes = 4 * 1024 * 1024 } = this.#options;
    if (this.#failed || this.#queuedBytes + bytes > maxQueuedBytes) {
      this.#reason = this.#failed ? this.#reason : "lines came faster than they could be written";
      this.#dropped += 1;
      return;
    }
    this.#queue.push(line);
    this.#queuedBytes += bytes;
    if (this.#writingSince === undefined) this.#writeQueue();
  }

  /** The count of dropped lines goes first, by itself: whether it was written decides whether it is counted again. */
  #writeQueue(): void {
    const dropped = this.#dropped;
    const text = dropped > 0 ? this.#notice() : this.#queue.join("");
    if (text === "") return;
    if (dropped === 0) this.#clearQueue();
    this.#dropped = 0;
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
    this.#queuedBytes = 0;
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
      this.#writeQueue();
    });
  }

  /** `dropped`: what the unwritten bytes were to report; 0 for lines. */
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
    // A file that failed may have been moved away or replaced since.
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

  /** When the process ends: everything that waits, as far as the target takes it without waiting for long. */
  #writeRest(): void {
    const isUnderWay = this.#writingSince !== undefined && this.#postponed === undefined;
    if (isUnderWay && performance.now() - (this.#writingSince ?? 0) > stuckMs) {
      // A thread hangs in that write, and the process would wait for the thread.
      process.kill(process.pid, "SIGKILL");
    }
    if (this.#failed) return;
    const notice = this.#dropped > 0 ? this.#notice() : "";
    const rest = Buffer.concat([this.#postponed?.bytes ?? Buffer.alloc(0), Buffer.from(notice + this.#queue.join(""))]);
    const deadline = performance.now() + exitPatienceMs;
    for (let offset = 0; offset < rest.length; ) {
      try {
        offset += writeSync(this.#open(), rest, offset);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || performance.now() > deadline) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullPipeMs);
      }
    }
  }
}

/**
 * The descriptor, or for a pipe another one on the same pipe whose writes fail instead of waiting: a thread that waits for
 * a reader keeps the process from ending. The descriptor itself is shared with other processes and stays as it is.
 */
function withoutWaiting(descriptor: number): number {
  try {
    if (!fstatSync(descriptor).isFIFO()) return descriptor;
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // No /proc, or the pipe belongs to another user.
    return descriptor;
  }
}
