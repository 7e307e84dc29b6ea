import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { LineSplitter, type LogLine, logTimeOf } from "@appserver/kernel";
import type { LogRequest } from "@appserver/kernel/ports";
import type { ContainerRecord, ContainerRecords } from "./container-record.ts";
import { type Observation, OutputIndex, streams } from "./output-index.ts";
import { readAt } from "./read-at.ts";

export interface OutputsOptions {
  readonly records: ContainerRecords;
  /** A file that is larger loses its older half. */
  readonly capBytes: number;
  readonly isRunning: (record: ContainerRecord) => boolean;
}

const pieceBytes = 65_536;
const followEveryMs = 100;

/** What the containers of a state folder printed. */
export class Outputs {
  readonly #options: OutputsOptions;
  /** By container id. */
  readonly #indexes = new Map<string, OutputIndex>();

  constructor(options: OutputsOptions) {
    this.#options = options;
  }

  /**
   * Records how much every container has printed, and shortens long files. Call it often: the times of lines depend on it. Leaves
   * out what cannot be read, and never throws: a timer calls it, and reading the output or the container reports the error.
   */
  observe(): void {
    let records: readonly ContainerRecord[];
    try {
      records = this.#options.records.all();
    } catch {
      return;
    }
    for (const record of records) {
      try {
        this.#observe(record);
      } catch {
        // The output of the others is observed.
      }
    }
  }

  #observe(record: ContainerRecord): void {
    const { records, capBytes } = this.#options;
    const index = this.#of(record);
    // Another process may have renamed it.
    index.files = records.outputFiles(record.name);
    index.observe(Date.now());
    index.shorten(capBytes);
  }

  remove(id: string): void {
    this.#indexes.get(id)?.remove();
    this.#indexes.delete(id);
  }

  moved(id: string, name: string): void {
    const index = this.#indexes.get(id);
    if (index) index.files = this.#options.records.outputFiles(name);
  }

  async *read(record: ContainerRecord, request: LogRequest): AsyncGenerator<readonly LogLine[]> {
    const { tail, since = "", follow = false, signal } = request;
    const index = this.#of(record);
    const reading = new OutputReading(index);
    const printed = lastOf(tail);
    for await (const lines of this.#available(reading, record)) {
      if (signal?.aborted) return;
      const later = lines.filter(({ time }) => time > since);
      if (tail !== undefined) printed.add(later);
      else if (later.length > 0) yield later;
    }
    yield* printed.batches();
    while (follow && !index.isGone && !signal?.aborted) {
      const hasEnded = !this.#isRunning(record);
      for await (const lines of this.#available(reading, record)) if (lines.length > 0) yield lines;
      if (hasEnded) break;
      await sleep(followEveryMs, undefined, signal ? { signal } : {}).catch(() => {});
    }
  }

  /** Yields everything that was printed since the last call. An unfinished line only counts if the container does not run. */
  async *#available(reading: OutputReading, record: ContainerRecord): AsyncGenerator<LogLine[]> {
    const hasEnded = !this.#isRunning(record);
    const index = this.#of(record);
    index.observe(Date.now());
    for (const observation of index.after(reading)) {
      yield* reading.read(observation);
    }
    if (hasEnded) yield reading.end();
  }

  /** By id: the container may have been renamed, and a reading lasts longer than a record. */
  #isRunning({ id }: ContainerRecord): boolean {
    const { records, isRunning } = this.#options;
    const record = records.all().find((each) => each.id === id);
    return record !== undefined && isRunning(record);
  }

  #of({ id, name }: ContainerRecord): OutputIndex {
    const known = this.#indexes.get(id);
    if (known) return known;
    const index = new OutputIndex(this.#options.records.outputFiles(name));
    this.#indexes.set(id, index);
    return index;
  }
}

/** Reads the output of a container from its beginning. */
class OutputReading {
  stdout = 0;
  stderr = 0;
  readonly #index: OutputIndex;
  readonly #splitters = { stdout: new LineSplitter(), stderr: new LineSplitter() };
  #lastAt = 0;
  /** Lines with the time {@link #lastAt}. */
  #count = 0;

  constructor(index: OutputIndex) {
    this.#index = index;
  }

  /** Yields the lines up to an observation, those of stdout first: their order in time is not known. */
  async *read(observation: Observation): AsyncGenerator<LogLine[]> {
    this.#lastAt = observation.at;
    this.#count = 0;
    for (const stream of streams) {
      while (this[stream] < observation[stream] && !this.#index.isGone) {
        const piece = this.#piece(stream, observation[stream]);
        if (piece.length === 0) break;
        yield this.#lines(stream, this.#splitters[stream].push(piece));
        // Files are read synchronously: a long one must not keep the process from other work.
        await turn();
      }
    }
  }

  end(): LogLine[] {
    return streams.flatMap((stream) => this.#lines(stream, this.#splitters[stream].end()));
  }

  #piece(stream: "stdout" | "stderr", end: number): Buffer {
    const start = this.#index.start[stream];
    if (this[stream] < start) {
      // The file was shortened, up to the beginning of a line.
      this.#splitters[stream].end();
      this[stream] = start;
    }
    const to = Math.min(end, this[stream] + pieceBytes);
    const piece = to <= start ? Buffer.alloc(0) : readAt(this.#index.files[stream], this[stream] - start, to - start);
    this[stream] += piece.length;
    return piece;
  }

  #lines(stream: "stdout" | "stderr", texts: ReturnType<LineSplitter["end"]>): LogLine[] {
    return texts.map((line) => {
      const time = logTimeOf(this.#lastAt, this.#count);
      this.#count += 1;
      return { time, stream, ...line };
    });
  }
}

interface LastLines {
  add(lines: readonly LogLine[]): void;
  batches(): Generator<readonly LogLine[]>;
}

/** Keeps the last `count` lines. */
function lastOf(count = 0): LastLines {
  const batchSize = 500;
  let kept: LogLine[] = [];
  return {
    add: (lines) => {
      kept.push(...lines);
      if (kept.length > 2 * count) kept = count === 0 ? [] : kept.slice(-count);
    },
    batches: function* () {
      const last = count === 0 ? [] : kept.slice(-count);
      for (let at = 0; at < last.length; at += batchSize) yield last.slice(at, at + batchSize);
    },
  };
}
