import { upstreamUrl } from "@appserver/contracts/patterns";
import { backoffMs, every, requestFailure } from "@appserver/kernel";
import type { Outcome } from "../domain/run-outcome.ts";
import { maxAnswerBytes, outcomeOfAnswer, runPost } from "../domain/run-post.ts";
import type { ActivityApp, AssignedRun, Backend } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { WorkSession } from "./work-session.ts";

/** Maximum runs that are posted to one app at a time from one replica. */
const capacity = 16;
/** The platform ends an attempt at its timeout. A POST ends later by itself, should that fail. */
const graceMs = 60_000;
/** How long a run waits for the secret of its app's deployment before it returns to the queue. */
const secretPauseMs = 2_000;
/** The database may be unavailable when a run has ended. */
const reporting = { firstMs: 500, maxMs: 15_000, attempts: 20 };

/** An installed app whose runs are posted. */
export interface PostedApp {
  readonly app: ActivityApp;
  readonly backend: Backend;
  /** Path of each activity. */
  readonly paths: ReadonlyMap<string, string>;
}

/** A worker of this replica that does the runs of one app by POSTs to its backend. It has the leases of any other worker. */
export class PostingWorker {
  readonly posted: PostedApp;
  readonly #context: ActivityContext;
  readonly #dispatcher: Dispatcher;
  readonly #session: WorkSession;
  /** By run. Aborting ends its POST. */
  readonly #running = new Map<string, AbortController>();
  readonly #stopping = new AbortController();
  readonly #onClosed: (isBroken: boolean) => void;
  #isRetired = false;

  /** `onClosed` is called when it has closed: after {@link retire}, or because its session broke. */
  constructor(context: ActivityContext, dispatcher: Dispatcher, posted: PostedApp, onClosed: (isBroken: boolean) => void) {
    this.posted = posted;
    this.#onClosed = onClosed;
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#session = dispatcher.open(posted.app.name);
  }

  start(): void {
    const { app, paths } = this.posted;
    this.#session.offer(new Set(paths.keys()), 0, capacity);
    void this.#read();
    this.#dispatcher.wake(app.name, paths.keys());
  }

  /** Takes no more runs. It closes when the POSTs in progress have ended. */
  retire(): void {
    this.#isRetired = true;
    this.#session.offer(new Set(), 0, 0);
    this.#closeIfIdle();
  }

  /** Aborts its POSTs. Their apps may still report the results, as workers whose stream broke. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const post of this.#running.values()) post.abort();
    await this.#dispatcher.close(this.#session);
  }

  /** The session breaks if a large input cannot be read. The leases decide about its runs that are not posted. */
  async #read(): Promise<void> {
    try {
      for await (const message of this.#dispatcher.messages(this.#session)) {
        if (message.kind === "assign") void this.#run(message.assigned);
        else if (message.kind === "cancel") this.#running.get(message.runId)?.abort();
      }
    } catch (error) {
      const { logger } = this.#context;
      logger.warn({ err: error, app: this.posted.app.name }, "activity: runs could not be posted; their leases end");
      await this.#dispatcher.close(this.#session);
      this.#onClosed(true);
    }
  }

  async #run({ run, input }: AssignedRun): Promise<void> {
    const { clock, logger } = this.#context;
    const post = new AbortController();
    this.#running.set(run.id, post);
    try {
      const outcome = await this.#post({ run, input }, post.signal);
      if (outcome !== "not sent") await this.#report(run, outcome);
      else {
        if (!this.#isRetired) await clock.sleep(secretPauseMs, this.#stopping.signal).catch(() => {});
        await this.#dispatcher.release(this.#session, run.id, run.attempt);
      }
    } catch (error) {
      // The lease decides about the run.
      this.#session.drop(run.id);
      logger.warn({ err: error, app: run.appName, run: run.id }, "activity: could not store what became of a posted run");
    } finally {
      this.#running.delete(run.id);
      this.#closeIfIdle();
    }
  }

  /** Undefined: the app reports later. */
  async #post(
    { run, input }: Pick<AssignedRun, "run" | "input">,
    signal: AbortSignal,
  ): Promise<Outcome | undefined | "not sent"> {
    const { platformKeys, forwardKeys, transport, clock } = this.#context;
    const { backend, paths } = this.posted;
    const path = paths.get(run.activity);
    const key = forwardKeys.of(run.appName);
    if (path === undefined || typeof key === "string" || this.#isRetired) return "not sent";
    const { pathname, search } = upstreamUrl(backend.url, path);
    const message = runPost(run, input, platformKeys, clock.now(), { key, target: pathname + search });
    const timeoutMs = run.timeoutMs + graceMs;
    const ended = new AbortController();
    void this.#beat(run, ended.signal);
    try {
      return outcomeOfAnswer(await transport.ask(backend, path, message, { timeoutMs, maxBytes: maxAnswerBytes, signal }));
    } catch (error) {
      if (signal.aborted) return { kind: "canceled" };
      return { kind: "crashed", message: `the app's backend: ${requestFailure(error, timeoutMs)}` };
    } finally {
      ended.abort();
    }
  }

  /** Reports that the run is in progress. If it was canceled or lost, the session gets a message that aborts the POST. */
  #beat({ id, attempt }: AssignedRun["run"], signal: AbortSignal): Promise<void> {
    const { clock, logger, times } = this.#context;
    return every({
      clock,
      signal,
      intervalMs: times.heartbeatMs,
      first: "at once",
      run: () => this.#dispatcher.heartbeat(this.#session, id, attempt),
      onError: (error) => logger.debug({ err: error, run: id }, "activity: could not store that a posted run is in progress"),
    });
  }

  /** Without a report, after a stop, the lease decides about the run. */
  async #report({ id, attempt }: AssignedRun["run"], outcome: Outcome | undefined): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (outcome) await this.#dispatcher.result(this.#session, id, attempt, outcome);
        else await this.#dispatcher.defer(this.#session, id, attempt);
        return;
      } catch (error) {
        failures += 1;
        if (failures === reporting.attempts) throw error;
        await this.#context.clock.sleep(backoffMs(failures, reporting), signal).catch(() => {});
      }
    }
  }

  #closeIfIdle(): void {
    if (!this.#isRetired || this.#session.isOver || this.#session.assignments.length > 0) return;
    void this.#dispatcher.close(this.#session);
    this.#onClosed(false);
  }
}
