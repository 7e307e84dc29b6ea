import { backoffMs, type HeldLease, holdLease, WakeUp } from "@appserver/kernel";
import { HealthWatch } from "./health-watch.ts";
import { reconcileApp } from "./reconcile-app.ts";
import type { OrchestrationContext, Workbench } from "./workbench.ts";

const leaseTtlMs = 10_000;
const retries = { firstMs: 1_000, longestMs: 30_000 };

/** The reason of a signal aborted because what was being done is no longer wanted. */
class ObsoleteError extends Error {
  override readonly name = "ObsoleteError";
}

/**
 * Keeps one app as it should be, for as long as it is installed. Of all orchestrators' keepers of an app only the holder of
 * its lease acts and probes; the others stand by to take over.
 */
export class AppKeeper {
  readonly #appName: string;
  readonly #context: OrchestrationContext;
  readonly #health = new HealthWatch();
  readonly #wakeUp: WakeUp;
  readonly #rested = Promise.withResolvers<void>();
  #isStartup: boolean;
  #failures = 0;
  #work: { readonly generation: number | undefined; readonly abandon: AbortController } | undefined;

  constructor(appName: string, context: OrchestrationContext, isStartup: boolean) {
    this.#appName = appName;
    this.#context = context;
    this.#wakeUp = new WakeUp(context.clock);
    this.#isStartup = isStartup;
  }

  /** Resolves when the app is for the first time as it should be, or another orchestrator looks after it. */
  get rested(): Promise<void> {
    return this.#rested.promise;
  }

  /** Look now. Work that the app's present state no longer asks for, such as a long pull, is broken off. */
  hint(): void {
    this.#wakeUp.wake();
    const work = this.#work;
    if (!work) return;
    this.#context.apps.get(this.#appName).then(
      (desired) => {
        if (desired?.generation !== work.generation)
          work.abandon.abort(new ObsoleteError("the app is meant to be otherwise now"));
      },
      (error: unknown) => this.#context.logger.debug({ err: error, app: this.#appName }, "cannot tell what is installed"),
    );
  }

  /** Until the app is not installed and nothing of it is left, or stopping. Never rejects. */
  async run(stopping: AbortSignal): Promise<void> {
    const { leases, clock, logger } = this.#context;
    while (!stopping.aborted) {
      try {
        const lease = `orchestration:${this.#appName}`;
        const result = await holdLease(leases, lease, leaseTtlMs, clock, (held) => this.#keep(held, stopping));
        if (result.held && !this.#wakeUp.isWoken) break;
        if (result.held) continue;
        this.#rested.resolve();
        // A hint is no reason to ask for the lease again: its holder hears it too.
        this.#wakeUp.reset();
        await clock.sleep(leaseTtlMs, stopping).catch(() => {});
      } catch (error) {
        if (stopping.aborted) break;
        logger.warn({ err: error, app: this.#appName }, "cannot look after the app; trying again");
        await this.#pauseAfterFailure(stopping);
      }
    }
    this.#rested.resolve();
  }

  /** Under the lease: until nothing is left to keep. */
  async #keep(held: HeldLease, stopping: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([held.signal, stopping]);
    while (!signal.aborted) {
      this.#wakeUp.reset();
      try {
        const rest = await this.#reconcile(held.fence, signal);
        this.#failures = 0;
        this.#isStartup = false;
        this.#rested.resolve();
        if (rest.kind === "absent") return;
        await this.#wakeUp.pause(rest.lookAgainMs, signal);
      } catch (error) {
        if (error instanceof ObsoleteError) continue;
        if (signal.aborted) break;
        this.#context.logger.warn({ err: error, app: this.#appName }, "the app cannot be brought in order; trying again");
        await this.#pauseAfterFailure(signal);
      }
    }
    signal.throwIfAborted();
  }

  async #reconcile(fence: number, signal: AbortSignal): ReturnType<typeof reconcileApp> {
    const abandon = new AbortController();
    const desired = await this.#context.apps.get(this.#appName);
    this.#work = { generation: desired?.generation, abandon };
    const bench: Workbench = {
      ...this.#context,
      writer: { appName: this.#appName, fence },
      signal: AbortSignal.any([signal, abandon.signal]),
      health: this.#health,
    };
    try {
      return await reconcileApp(bench, this.#isStartup);
    } finally {
      this.#work = undefined;
    }
  }

  async #pauseAfterFailure(signal: AbortSignal): Promise<void> {
    this.#failures += 1;
    await this.#context.clock.sleep(backoffMs(this.#failures, retries), signal).catch(() => {});
  }
}
