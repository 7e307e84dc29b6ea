import { Worker } from "node:worker_threads";
import { AppError, type FieldViolation, type Logger, messageOf } from "@appserver/kernel";
import type { InputSchemas } from "../../ports.ts";
import type { SchemaJob, SchemaVerdict } from "./schema-thread.ts";

export interface ThreadedInputSchemasOptions {
  /** Processor time for one schema or input; a thread that takes more is ended. */
  readonly deadlineMs?: number;
  /** The longest that a job may run. After it nothing is known of the input: the machine was busy with other work. */
  readonly patienceMs?: number;
  /** How long a schema that took too long is refused without being tried. */
  readonly penaltyMs?: number;
  /** A thread without a job for this long is ended. */
  readonly idleMs?: number;
}

/** Two, so that one slow input does not delay all others. Each thread starts at first use. */
const maxThreads = 2;
const maxWaiting = 1_000;
const maxRemembered = 500;
/** Shortest time between two looks at the processor time of a thread. */
const minLookMs = 10;
const defaults = { deadlineMs: 2_000, patienceMs: 20_000, penaltyMs: 60_000, idleMs: 10_000 } as const;
/** A recursive schema on a large input can fill any heap: the thread's limit is reached before that of the process. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

interface Waiting {
  readonly job: SchemaJob;
  finish(outcome: SchemaVerdict | Error): void;
}

/** The job took too long, or its thread ended. */
class JobFailedError extends Error {
  override readonly name = "JobFailedError";
}

/**
 * Checks schemas and inputs in separate threads with a deadline and a heap limit: both come from apps, and the time of a
 * recursive schema on an input cannot be predicted. The event loop only passes texts.
 */
export class ThreadedInputSchemas implements InputSchemas {
  readonly #logger: Logger;
  readonly #limits: TimeLimits;
  readonly #penaltyMs: number;
  readonly #idleMs: number;
  readonly #waiting: Waiting[] = [];
  readonly #threads = new Set<SchemaThread>();
  /** Checked schemas, with their problems. */
  readonly #known = new Map<string, string | undefined>();
  /** Times when schemas that took too long may be tried again, by `performance.now()`. */
  readonly #penalties = new Map<string, number>();
  #isClosed = false;

  constructor(logger: Logger, options: ThreadedInputSchemasOptions = {}) {
    this.#logger = logger;
    const { deadlineMs, patienceMs } = { ...defaults, ...options };
    this.#limits = { deadlineMs, patienceMs };
    this.#penaltyMs = options.penaltyMs ?? defaults.penaltyMs;
    this.#idleMs = options.idleMs ?? defaults.idleMs;
  }

  async problem(schema: string): Promise<string | undefined> {
    if (this.#known.has(schema)) return this.#known.get(schema);
    const verdict = await this.#judge({ schema, input: undefined });
    if (verdict instanceof JobFailedError) return verdict.message;
    remember(this.#known, schema, verdict.problem);
    return verdict.problem;
  }

  async violations(schema: string, input: string): Promise<readonly FieldViolation[]> {
    const verdict = await this.#judge({ schema, input });
    if (verdict instanceof JobFailedError)
      return [{ field: "input", message: `cannot be checked against the schema: ${verdict.message}` }];
    const { problem, violations } = verdict;
    return problem === undefined
      ? violations
      : [{ field: "input", message: `cannot be checked against the schema: it ${problem}` }];
  }

  /** Ends the threads. Waiting jobs are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { finish } of this.#waiting.splice(0)) finish(stopping());
    await Promise.all([...this.#threads].map((thread) => thread.end(stopping())));
  }

  /** Rejects with SERVICE_UNAVAILABLE if too many jobs wait, or if the machine is too busy for this one. */
  async #judge(job: SchemaJob): Promise<SchemaVerdict | JobFailedError> {
    const until = this.#penalties.get(job.schema);
    if (until !== undefined && until > performance.now())
      return new JobFailedError("recently took more time or memory than is allowed and is not retried yet");
    if (this.#isClosed) throw stopping();
    if (this.#waiting.length >= maxWaiting)
      throw new AppError("SERVICE_UNAVAILABLE", "too many inputs are queued for validation; retry later");
    const outcome = await new Promise<SchemaVerdict | Error>((resolve) => {
      this.#waiting.push({ job, finish: resolve });
      this.#next();
    });
    if (!(outcome instanceof Error)) return outcome;
    if (!(outcome instanceof JobFailedError)) throw outcome;
    remember(this.#penalties, job.schema, performance.now() + this.#penaltyMs);
    this.#logger.warn({ err: outcome }, "activity: the validation of an input was aborted");
    return outcome;
  }

  #next(): void {
    const idle = [...this.#threads].find((thread) => thread.isIdle) ?? this.#tryStart();
    const next = idle && this.#waiting.shift();
    if (next) void idle.run(next).finally(() => this.#next());
  }

  /** Node throws if the operating system allows no further thread. Then waiting jobs take the existing ones, or are refused. */
  #tryStart(): SchemaThread | undefined {
    try {
      return this.#start();
    } catch (cause) {
      const error = new AppError("SERVICE_UNAVAILABLE", "no thread can be started to validate inputs; retry later", { cause });
      if (this.#threads.size === 0) for (const { finish } of this.#waiting.splice(0)) finish(error);
      return undefined;
    }
  }

  #start(): SchemaThread | undefined {
    if (this.#isClosed || this.#waiting.length === 0 || this.#threads.size >= maxThreads) return undefined;
    const thread = new SchemaThread(this.#limits, this.#idleMs, () => {
      this.#threads.delete(thread);
      // A job that came while it ended found no place for another thread.
      this.#next();
    });
    this.#threads.add(thread);
    return thread;
  }
}

interface TimeLimits {
  readonly deadlineMs: number;
  readonly patienceMs: number;
}

/** One thread, which takes one job at a time. */
class SchemaThread {
  readonly #worker: Worker;
  readonly #limits: TimeLimits;
  readonly #idleMs: number;
  readonly #ready: Promise<void>;
  #running: Waiting | undefined;
  #unused: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(limits: TimeLimits, idleMs: number, onEnd: () => void) {
    this.#limits = limits;
    this.#idleMs = idleMs;
    this.#worker = new Worker(new URL("./schema-thread.ts", import.meta.url), { resourceLimits, execArgv: [] });
    // The thread must not keep an otherwise idle process running.
    this.#worker.unref();
    this.#ready = new Promise((resolve) => this.#worker.once("message", () => resolve()));
    this.#worker.on("message", (message: SchemaVerdict | "ready") => {
      if (message !== "ready") this.#finish(message);
    });
    this.#worker.on("error", (error) => this.#finish(failed(error)));
    this.#worker.on("exit", () => {
      this.#isEnded = true;
      onEnd();
      this.#finish(new JobFailedError("the thread that validates it ended"));
    });
  }

  get isIdle(): boolean {
    return !this.#running && !this.#isEnded;
  }

  /** Resolves when the job is finished. The thread's start-up time does not count. */
  async run(waiting: Waiting): Promise<void> {
    clearTimeout(this.#unused);
    const finished = new Promise<void>((resolve) => {
      this.#running = {
        job: waiting.job,
        finish: (outcome) => {
          waiting.finish(outcome);
          resolve();
        },
      };
    });
    await Promise.race([this.#ready, finished]);
    const usedBefore = await this.#usedMs();
    const { deadlineMs, patienceMs } = this.#limits;
    const { job } = waiting;
    // A thread waits for the processor as long as other programs have it: that says nothing of the job.
    const look = async (): Promise<void> => {
      const usedMs = (await this.#usedMs()) - usedBefore;
      if (this.#running?.job !== job) return;
      if (usedMs >= deadlineMs) void this.end(tooLong(deadlineMs));
      else late = setTimeout(() => void look(), Math.max(minLookMs, deadlineMs - usedMs));
    };
    let late = setTimeout(() => void look(), deadlineMs);
    const tooLate = setTimeout(() => void this.end(tooBusy()), patienceMs);
    if (this.#running) this.#worker.postMessage(waiting.job);
    await finished;
    clearTimeout(late);
    clearTimeout(tooLate);
    if (!this.#isEnded) this.#unused = setTimeout(() => void this.end(stopping()), this.#idleMs).unref();
  }

  /** Returns the processor time of the thread; before Node 24, which cannot tell, that on the clock. */
  async #usedMs(): Promise<number> {
    const { cpuUsage } = this.#worker as Partial<Pick<Worker, "cpuUsage">>;
    if (cpuUsage === undefined || this.#isEnded) return performance.now();
    return await cpuUsage.call(this.#worker).then(
      ({ user, system }) => (user + system) / 1_000,
      () => 0,
    );
  }

  async end(reason: Error): Promise<void> {
    this.#isEnded = true;
    this.#finish(reason);
    await this.#worker.terminate();
  }

  #finish(outcome: SchemaVerdict | Error): void {
    const running = this.#running;
    this.#running = undefined;
    running?.finish(outcome);
  }
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  const [oldest] = map.keys();
  if (map.size >= maxRemembered && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}

function failed(error: unknown): Error {
  const isOutOfMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return new JobFailedError(isOutOfMemory ? "takes more memory than is allowed" : messageOf(error));
}

function tooLong(deadlineMs: number): Error {
  return new JobFailedError(`takes more than ${deadlineMs} ms`);
}

function tooBusy(): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "the server is too busy to validate inputs; retry later");
}

function stopping(): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "the server is stopping; retry later");
}
