import { backoffMs, type HeldLease, holdLease, WakeUp } from "@appserver/kernel";
import { HealthWatch } from "./health-watch.ts";
import { reconcileApp } from "./reconcile-app.ts";
import type { OrchestrationContext, RepairContext } from "./repair-context.ts";

const leaseTtlMs = 10_000;
const retries = { firstMs: 1_000, longestMs: 30_000 };

/** Aborts work whose result is no longer wanted. */
class ObsoleteError extends Error {
  override readonly name = "ObsoleteError";
}

/**
 * Reconciles one app until it is uninstalled. Each orchestrator has a reconciler for the app. Only the holder of the app's lease
 * repairs and probes. The others retry to take the lease.
 */
export class AppReconciler {
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

  /** Resolves when the app needs no repair for the first time, or another orchestrator holds its lease. */
  get rested(): Promise<void> {
    return this.#rested.promise;
  }

  /** Checks the app now. Aborts work on an outdated generation, such as a long pull. */
  wake(): void {
    this.#wakeUp.wake();
    const work = this.#work;
    if (!work) return;
    this.#context.apps.get(this.#appName).then(
      (desired) => {
        if (desired?.generation !== work.generation)
          work.abandon.abort(new ObsoleteError("the desired state of the app has changed"));
      },
      (error: unknown) =>
        this.#context.logger.debug({ err: error, app: this.#appName }, "orchestration: could not read the installed apps"),
    );
  }

  /** Runs until the app is uninstalled and its container is removed, or until `stopping`. Never rejects. */
  async run(stopping: AbortSignal): Promise<void> {
    const { leases, clock, logger } = this.#context;
    while (!stopping.aborted) {
      try {
        const lease = `orchestration:${this.#appName}`;
        const result = await holdLease(leases, lease, leaseTtlMs, clock, (held) => this.#reconcileRepeatedly(held, stopping));
        if (result.held && !this.#wakeUp.isWoken) break;
        if (result.held) continue;
        this.#rested.resolve();
        // A wake-up does not request the lease again, because the wake-up reaches its holder too.
        this.#wakeUp.reset();
        await clock.sleep(leaseTtlMs, stopping).catch(() => {});
      } catch (error) {
        if (stopping.aborted) break;
        logger.warn({ err: error, app: this.#appName }, "orchestration: could not take the lease of the app; retrying");
        await this.#pauseAfterFailure(stopping);
      }
    }
    this.#rested.resolve();
  }

  /** Reconciles while the lease is held. Returns when the app is absent. */
  async #reconcileRepeatedly(held: HeldLease, stopping: AbortSignal): Promise<void> {
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
        this.#context.logger.warn({ err: error, app: this.#appName }, "orchestration: could not reconcile the app; retrying");
        await this.#pauseAfterFailure(signal);
      }
    }
    signal.throwIfAborted();
  }

  async #reconcile(fence: number, signal: AbortSignal): ReturnType<typeof reconcileApp> {
    const abandon = new AbortController();
    const desired = await this.#context.apps.get(this.#appName);
    this.#work = { generation: desired?.generation, abandon };
    const context: RepairContext = {
      ...this.#context,
      writer: { appName: this.#appName, fence },
      signal: AbortSignal.any([signal, abandon.signal]),
      health: this.#health,
    };
    try {
      return await reconcileApp(context, this.#isStartup);
    } finally {
      this.#work = undefined;
    }
  }

  async #pauseAfterFailure(signal: AbortSignal): Promise<void> {
    this.#failures += 1;
    await this.#context.clock.sleep(backoffMs(this.#failures, retries), signal).catch(() => {});
  }
}
