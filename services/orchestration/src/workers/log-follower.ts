import { AppError, type Clock, every, type Logger, Mailbox, uuidv7, within } from "@appserver/kernel";
import { type LogChunk, type LogsRequested, sourceKey } from "../domain/log-messages.ts";
import type { LogEntry, LogQuery } from "../ports.ts";

export interface LogFollowerDeps {
  readonly replica: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly publish: (request: LogsRequested) => Promise<void>;
}

const renewEveryMs = 10_000;
const askAgainMs = 1_000;
const answerMs = 10_000;
/** More than an orchestrator sends before the first of them is taken. */
const maxWaiting = 32;
/** Sources whose last lines a request has: more than the instances of an app and of the release that follows. */
const maxSources = 200;
/** Chunks after which a request reports to the orchestrator that they were taken. */
const ackEvery = 4;

/** Reads one log for one caller. */
export class LogFollower {
  readonly stream: string = uuidv7();
  readonly #deps: LogFollowerDeps;
  readonly #query: LogQuery;
  readonly #chunks = new Mailbox<LogChunk>(maxWaiting);
  readonly #answered = Promise.withResolvers<void>();
  readonly #over = new AbortController();
  readonly #after = new Map<string, string>();
  readonly #earlierSessions = new Set<string>();
  #session: string | undefined;
  /** The number of lines of the session that were received or counted as left out. */
  #lines = 0;
  #received = 0;
  #taken = 0;
  #announced = 0;
  #publishing: Promise<void> | undefined;

  constructor(deps: LogFollowerDeps, query: LogQuery) {
    this.#deps = deps;
    this.#query = query;
  }

  get reader(): string {
    return this.#query.reader;
  }

  /** Handles a chunk. A chunk that does not fit is lost, and its lines are counted. */
  arrived(chunk: LogChunk): void {
    if (this.#earlierSessions.has(chunk.session)) return;
    this.#answered.resolve();
    if (chunk.session !== this.#session) {
      if (this.#session !== undefined) this.#earlierSessions.add(this.#session);
      this.#session = chunk.session;
      this.#received = 0;
      this.#taken = 0;
      this.#announced = 0;
      this.#lines = 0;
    }
    if (this.#chunks.push(chunk)) this.#received = chunk.number;
  }

  /**
   * Yields the log. Throws SERVICE_UNAVAILABLE if no orchestrator sends it, RATE_LIMIT_EXCEEDED if it sends too many already.
   * `isServed`: whether there is still something to follow.
   */
  async *entries(signal: AbortSignal, isServed: () => Promise<boolean>): AsyncGenerator<LogEntry> {
    const end = (): void => this.end();
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) this.end();
    const renewing = this.#renew(isServed);
    try {
      await this.#untilAnswered();
      for await (const chunk of this.#chunks) {
        if (chunk.session === this.#session) {
          const entry = this.#entryOf(chunk);
          if (entry.lines.length > 0 || entry.isStart || entry.leftOut > 0) yield entry;
          this.#took(chunk);
        }
        if (chunk.isLast) return;
      }
    } finally {
      signal.removeEventListener("abort", end);
      this.end();
      await renewing;
      await this.#publish(true);
    }
  }

  end(): void {
    this.#over.abort("over");
    this.#chunks.close();
    this.#answered.resolve();
  }

  #entryOf({ refusal, before, lines, source, isStart }: LogChunk): LogEntry {
    if (refusal) throw new AppError(refusal.code, refusal.message, { details: { retry_after: 10 } });
    const leftOut = Math.max(0, before - this.#lines);
    this.#lines = before + lines.length;
    return { source, isStart, leftOut, lines };
  }

  #took({ number, source, lines }: LogChunk): void {
    this.#taken = number;
    const time = lines.at(-1)?.time;
    if (source && time !== undefined) this.#after.set(sourceKey(source), time);
    if (this.#taken - this.#announced >= ackEvery) void this.#publish();
  }

  async #untilAnswered(): Promise<void> {
    const { appName } = this.#query;
    const error = (): AppError => {
      const message = `no orchestrator sent the log of ${appName} within ${answerMs / 1_000} s; retry later`;
      return new AppError("SERVICE_UNAVAILABLE", message);
    };
    await within(() => this.#answered.promise, { clock: this.#deps.clock, ms: answerMs, error });
  }

  /** Repeats the request: often until an orchestrator answers, because the first one may be lost, then as its lease. */
  async #renew(isServed: () => Promise<boolean>): Promise<void> {
    const { clock, logger } = this.#deps;
    const { signal } = this.#over;
    const onError = (error: unknown): void => logger.debug({ err: error }, "orchestration: could not renew a log request");
    const answered = new AbortController();
    void this.#answered.promise.then(() => answered.abort("answered"));
    const asking = AbortSignal.any([signal, answered.signal]);
    await every({ clock, signal: asking, intervalMs: askAgainMs, first: "at once", run: () => this.#publish(), onError });
    const run = async (): Promise<void> => {
      if (await isServed()) await this.#publish();
      else this.#chunks.close();
    };
    await every({ clock, signal, intervalMs: renewEveryMs, first: "after a pause", run, onError });
  }

  /** Publishes the present request. Never rejects. One at a time: a slow broker must not collect them. */
  async #publish(isOver = false): Promise<void> {
    if (this.#publishing) {
      if (!isOver) return;
      await this.#publishing;
    }
    this.#announced = this.#taken;
    this.#publishing = this.#deps.publish(this.#request(isOver)).then(
      () => {},
      (error: unknown) => this.#deps.logger.debug({ err: error }, "orchestration: could not request a log"),
    );
    await this.#publishing;
    this.#publishing = undefined;
    // Chunks that were taken since then.
    if (!isOver && !this.#over.signal.aborted && this.#taken - this.#announced >= ackEvery) await this.#publish();
  }

  #request(isOver: boolean): LogsRequested {
    const { replica } = this.#deps;
    const isWaiting = this.#taken === this.#received;
    const after = Object.fromEntries([...this.#after].slice(-maxSources));
    return {
      ...this.#query,
      stream: this.stream,
      replica,
      isOver,
      session: this.#session,
      taken: this.#taken,
      isWaiting,
      after,
    };
  }
}
