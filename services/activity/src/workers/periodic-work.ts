import { every } from "@appserver/kernel";
import type { ActivityContext } from "../use-cases/context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { runSchedules } from "./run-schedules.ts";

const purgeEveryMs = 10 * 60_000;
/** If a check is later than this, workers could not report in time either. */
const latenessMs = 5_000;

/** The periodic tasks of every replica. Row locks decide which replica does a piece of work. */
export class PeriodicWork {
  readonly #context: ActivityContext;
  readonly #dispatcher: Dispatcher;
  readonly #stopped = new AbortController();
  readonly #due = new Map<string, number>();
  #running: Promise<void> | undefined;
  /** Since when workers can report without interruption, and when this was last confirmed. Monotonic. */
  #reachableSince = 0;
  #reachableAt = Number.NEGATIVE_INFINITY;

  constructor(context: ActivityContext, dispatcher: Dispatcher) {
    this.#context = context;
    this.#dispatcher = dispatcher;
  }

  start(): void {
    const { clock, times, logger } = this.#context;
    this.#running = every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: times.tickMs,
      first: "at once",
      run: () => this.#tick(),
      onError: (error) => logger.warn({ err: error }, "activity: the periodic tasks failed; retrying at the next interval"),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #tick(): Promise<void> {
    const { times, runs, clock } = this.#context;
    await this.#try("due work", 0, async () => {
      const due = await runs.due(new Date(clock.now()));
      this.#noteReachable();
      if (due.expired) await this.#try("expired runs", 0, () => runs.expire());
      // After a start or an outage, workers first report the runs that they hold and the runs that ended.
      if (due.overdue && this.#reachableAt - this.#reachableSince >= times.reconnectMs)
        await this.#try("overdue runs", 0, () => runs.endOverdue(this.#dispatcher.connected));
      if (due.scheduled) await this.#try("due schedules", 0, () => runSchedules(this.#context));
    });
    await this.#try("old runs", purgeEveryMs, async () => {
      let purged = 1;
      while (purged > 0 && !this.#stopped.signal.aborted) purged = await runs.purge();
    });
    // Finds runs that became due, and runs without a notification.
    this.#dispatcher.wakeAll();
  }

  #noteReachable(): void {
    const now = this.#context.clock.monotonic();
    if (now - this.#reachableAt > this.#context.times.tickMs + latenessMs) this.#reachableSince = now;
    this.#reachableAt = now;
  }

  async #try(what: string, everyMs: number, work: () => Promise<unknown>): Promise<void> {
    const { clock, logger } = this.#context;
    const now = clock.monotonic();
    if (this.#stopped.signal.aborted || now < (this.#due.get(what) ?? 0)) return;
    this.#due.set(what, now + everyMs);
    try {
      await work();
    } catch (error) {
      this.#due.delete(what);
      logger.warn({ err: error, what }, "activity: a periodic task failed; retrying at the next interval");
    }
  }
}
