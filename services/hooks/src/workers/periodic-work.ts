import { type Component, every } from "@appserver/kernel";
import type { HooksContext } from "../use-cases/context.ts";
import { syncAll } from "../use-cases/sync-subscriptions.ts";

const intervals = { syncMs: 60_000, lanesMs: 30_000, cleanMs: 300_000 } as const;

/** What every replica repeats: it repairs what lost events left behind, and deletes old deliveries. */
export class PeriodicWork implements Component {
  readonly name = "hook periodic work";
  readonly #context: HooksContext;
  readonly #stopping = new AbortController();
  readonly #loops: Promise<void>[] = [];

  constructor(context: HooksContext) {
    this.#context = context;
  }

  start(): void {
    const { deliveries, policy } = this.#context;
    this.#loops.push(
      this.#repeat("subscriptions", intervals.syncMs, () => syncAll(this.#context)),
      this.#repeat("lanes", intervals.lanesMs, () => deliveries.wakeLanes()),
      this.#repeat("retention", intervals.cleanMs, () => deliveries.clean(policy.finishedRetentionMs, policy.deadRetentionMs)),
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops);
  }

  #repeat(loop: string, intervalMs: number, run: () => Promise<unknown>): Promise<void> {
    const { clock, logger } = this.#context;
    const onError = (error: unknown): void =>
      logger.warn({ err: error, loop }, "hooks: a periodic task failed; retrying at its next interval");
    return every({ clock, signal: this.#stopping.signal, intervalMs, first: "at once", run, onError });
  }
}
