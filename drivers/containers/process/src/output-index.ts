import { appendFileSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { readAt } from "./read-at.ts";

/** The files of a container's output. */
export interface OutputFiles {
  readonly stdout: string;
  readonly stderr: string;
  readonly index: string;
}

/** Positions in both streams, counted from the first byte that the container ever printed. */
export interface Positions {
  readonly stdout: number;
  readonly stderr: number;
}

/** What both streams had printed at a time. */
export interface Observation extends Positions {
  /** Milliseconds since the epoch. Increases from one observation to the next. */
  readonly at: number;
}

export const streams = ["stdout", "stderr"] as const;

/**
 * When which part of a container's output was printed. An app writes to its files itself, without times, so that it survives a
 * killed platform. The index has the sizes of the files at the times when {@link observe} found them changed. It is a file, so
 * that the next process knows the times.
 */
export class OutputIndex {
  #files: OutputFiles;
  #isGone = false;
  #observations: Observation[] = [];
  /** The positions of the files' first bytes. */
  #start: Positions = { stdout: 0, stderr: 0 };

  constructor(files: OutputFiles) {
    this.#files = files;
    this.#load();
  }

  /** Paths of the files, which change with the name of the container. */
  get files(): OutputFiles {
    return this.#files;
  }

  set files(files: OutputFiles) {
    this.#files = files;
  }

  /** Whether the container was removed. Another one may have the files of its name. */
  get isGone(): boolean {
    return this.#isGone;
  }

  remove(): void {
    this.#isGone = true;
  }

  get start(): Positions {
    return this.#start;
  }

  /** Returns the observations with more output than these positions, oldest first. */
  after({ stdout, stderr }: Positions): readonly Observation[] {
    const from = this.#observations.findLastIndex((each) => each.stdout <= stdout && each.stderr <= stderr);
    return this.#observations.slice(from + 1);
  }

  /** Records the present sizes of the files if they have changed. */
  observe(now: number): void {
    let last = this.#last;
    let ends = this.#ends();
    if (ends.stdout < last.stdout || ends.stderr < last.stderr) {
      // Another process shortened the files.
      this.#load();
      last = this.#last;
      ends = this.#ends();
    }
    if (ends.stdout === last.stdout && ends.stderr === last.stderr) return;
    const observation = { at: Math.max(now, last.at + 1), ...ends };
    this.#observations.push(observation);
    attempt(() => appendFileSync(this.#files.index, formatted(observation), { mode: 0o600 }));
  }

  /**
   * Removes the older half of a file that is larger than `capBytes`. Its writer has it open for appending and continues at the new
   * end. Text that the app prints between the last two steps is lost.
   */
  shorten(capBytes: number): void {
    for (const stream of streams) {
      const size = sizeOf(this.#files[stream]);
      if (size <= capBytes) continue;
      const tail = readAt(this.#files[stream], size - Math.floor(capBytes / 2), size);
      const kept = tail.subarray(tail.indexOf("\n") + 1);
      const end = sizeOf(this.#files[stream]);
      truncateSync(this.#files[stream]);
      const isKept = attempt(() => writeFileSync(this.#files[stream], kept, { flag: "a" }));
      this.#start = { ...this.#start, [stream]: this.#start[stream] + end - (isKept ? kept.length : 0) };
      this.#save();
    }
  }

  get #last(): Observation {
    return this.#observations.at(-1) ?? { at: 0, ...this.#start };
  }

  #ends(): Positions {
    const { stdout, stderr } = this.#start;
    return { stdout: stdout + sizeOf(this.#files.stdout), stderr: stderr + sizeOf(this.#files.stderr) };
  }

  #load(): void {
    const [start = "", ...rest] = textOf(this.#files.index).split("\n");
    const [, stdout = 0, stderr = 0] = start.split(" ").map(Number);
    this.#start = { stdout: stdout || 0, stderr: stderr || 0 };
    this.#observations = rest.flatMap((line) => {
      const [at = Number.NaN, out = Number.NaN, err = Number.NaN] = line.split(" ").map(Number);
      return line !== "" && Number.isFinite(at + out + err) ? [{ at, stdout: out, stderr: err }] : [];
    });
    if (start === "") this.#save();
  }

  #save(): void {
    const { stdout, stderr } = this.#start;
    this.#observations = this.#observations.filter((each) => each.stdout > stdout || each.stderr > stderr);
    const next = `${this.#files.index}.next`;
    attempt(() => {
      writeFileSync(next, [{ at: 0, stdout, stderr }, ...this.#observations].map(formatted).join(""), { mode: 0o600 });
      renameSync(next, this.#files.index);
    });
  }
}

/** Returns whether the work succeeded. A full disk must not stop the platform: only times of lines are missing later. */
function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function formatted({ at, stdout, stderr }: Observation): string {
  return `${at} ${stdout} ${stderr}\n`;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
