import { type Clock, GroupCommit, type Logger, settledWithin } from "@appserver/kernel";
import type { BreakerChange } from "../domain/circuit-breaker.ts";
import type { CircuitApp, CircuitChange, CircuitEvents } from "../ports.ts";

export interface CircuitAnnouncerDeps {
  readonly circuitEvents: CircuitEvents;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** More apps than this do not change in the same moment; if they do, the others follow in the next batch. */
const batchItems = 100;
/** How long stopping waits for events that are being stored. */
const stopTimeoutMs = 1_000;

/**
 * Announces that circuits opened and closed, off the path of requests. One batch is stored at a time. Until it ends, at most the
 * newest change of each app waits. So neither an unreachable database nor a breaker that changes often makes the queue grow. A
 * batch that cannot be stored is lost: a warning is logged, and the breaker's next change is announced again.
 */
export class CircuitAnnouncer {
  readonly #deps: CircuitAnnouncerDeps;
  readonly #batches: GroupCommit<CircuitChange, undefined>;
  readonly #unfinished = new Set<Promise<undefined>>();

  constructor(deps: CircuitAnnouncerDeps) {
    this.#deps = deps;
    this.#batches = new GroupCommit((changes) => this.#store(changes), { maxItems: batchItems });
  }

  /** Returns at once, and never throws. A change that shows nothing new of the upstream is not announced. */
  changed(app: CircuitApp, { state, opening }: BreakerChange): void {
    if (state !== "CLOSED" && !opening) return;
    const { id, name, version } = app;
    const change: CircuitChange = { app: { id, name, version }, at: new Date(this.#deps.clock.now()), opening };
    this.#batches.withdraw((waiting) => waiting.app.name === name, undefined);
    const stored = this.#batches.run(change);
    this.#unfinished.add(stored);
    void stored.finally(() => this.#unfinished.delete(stored));
  }

  /** Waits a moment for the events that are being stored. */
  async stop(): Promise<void> {
    await settledWithin(Promise.all(this.#unfinished), { clock: this.#deps.clock, ms: stopTimeoutMs });
  }

  async #store(changes: readonly CircuitChange[]): Promise<readonly undefined[]> {
    const { circuitEvents, logger } = this.#deps;
    try {
      await circuitEvents.append(changes);
    } catch (error) {
      const apps = changes.map(({ app }) => app.name);
      logger.warn({ err: error, apps }, "proxy: storing that circuits opened or closed failed");
    }
    return changes.map(() => undefined);
  }
}
