import { backoffMs, type HeldLease, holdLease } from "@appserver/kernel";
import { ReconcileLoop } from "./reconcile-loop.ts";
import type { OrchestrationContext } from "./repair-context.ts";

const leaseTtlMs = 10_000;
const retries = { firstMs: 1_000, maxMs: 30_000 };

/**
 * Reconciles one app until it is uninstalled. Each orchestrator has a reconciler for the app. Only the holder of the app's lease
 * repairs and probes. The others retry to take the lease. Under the lease two loops run, so that the start of another release
 * never holds up the health checks and the repairs of the one that serves.
 */
export class AppReconciler {
  readonly #appName: string;
  readonly #context: OrchestrationContext;
  readonly #current: ReconcileLoop;
  readonly #switching: ReconcileLoop;
  readonly #rested = Promise.withResolvers<void>();
  #failures = 0;

  constructor(appName: string, context: OrchestrationContext, isStartup: boolean) {
    this.#appName = appName;
    this.#context = context;
    this.#current = new ReconcileLoop(appName, "current", context, isStartup);
    this.#switching = new ReconcileLoop(appName, "switching", context, isStartup);
    void this.#current.rested.then(this.#rested.resolve);
  }

  /** Resolves when the current deployment needs no repair for the first time, or another orchestrator holds the lease. */
  get rested(): Promise<void> {
    return this.#rested.promise;
  }

  get #loops(): readonly ReconcileLoop[] {
    return [this.#current, this.#switching];
  }

  /** Checks the app now. Aborts work on an outdated desired state, such as a long pull. */
  wake(): void {
    for (const loop of this.#loops) loop.wake();
    if (!this.#loops.some((loop) => loop.isWorking)) return;
    this.#context.apps.get(this.#appName).then(
      (installed) => {
        for (const loop of this.#loops) loop.abandonUnless(installed);
      },
      (error: unknown) =>
        this.#context.logger.debug({ err: error, app: this.#appName }, "orchestration: could not read the installed apps"),
    );
  }

  /** Runs until the app is uninstalled and its containers are removed, or until `stopping`. Never rejects. */
  async run(stopping: AbortSignal): Promise<void> {
    const { leases, clock, logger } = this.#context;
    while (!stopping.aborted) {
      try {
        const lease = `orchestration:${this.#appName}`;
        const result = await holdLease(leases, lease, leaseTtlMs, clock, (held) => this.#reconcile(held, stopping));
        this.#failures = 0;
        if (result.held) {
          await this.#forgetMetrics();
          // Checked without an await before the end, so that no wake-up is lost.
          if (!this.#loops.some((loop) => loop.isWoken)) break;
          continue;
        }
        this.#rested.resolve();
        // A wake-up does not request the lease again, because the wake-up reaches its holder too.
        for (const loop of this.#loops) loop.reset();
        await clock.sleep(leaseTtlMs, stopping).catch(() => {});
      } catch (error) {
        if (stopping.aborted) break;
        logger.warn({ err: error, app: this.#appName }, "orchestration: could not take the lease of the app; retrying");
        this.#failures += 1;
        await clock.sleep(backoffMs(this.#failures, retries), stopping).catch(() => {});
      }
    }
    this.#rested.resolve();
  }

  /** Another orchestrator may have removed the last container, and this one may have counted earlier ones. */
  async #forgetMetrics(): Promise<void> {
    const { apps, onRemoved, logger } = this.#context;
    try {
      if (!(await apps.get(this.#appName))) onRemoved(this.#appName);
    } catch (error) {
      logger.debug({ err: error, app: this.#appName }, "orchestration: could not read the installed apps");
    }
  }

  /** Reconciles while the lease is held. Returns when nothing of the app should run and nothing does. */
  async #reconcile(held: HeldLease, stopping: AbortSignal): Promise<void> {
    const over = new AbortController();
    const onAbsent = (): void => {
      if (this.#loops.every((loop) => loop.isAbsent)) over.abort("absent");
    };
    const signal = AbortSignal.any([held.signal, stopping, over.signal]);
    const { fence } = held;
    const { ownedApps } = this.#context;
    ownedApps.add(this.#appName);
    signal.addEventListener("abort", () => ownedApps.delete(this.#appName));
    await Promise.all([
      this.#current.run({ signal, fence, peer: this.#switching, onAbsent }),
      this.#switching.run({ signal, fence, peer: this.#current, onAbsent }),
    ]);
    ownedApps.delete(this.#appName);
    if (!over.signal.aborted) signal.throwIfAborted();
  }
}
