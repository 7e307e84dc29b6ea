import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { AttemptResult } from "../domain/retry-policy.ts";
import type { HooksContext } from "../use-cases/context.ts";

/** Minimum time between two looks for waits that this replica has not seen begin. */
const lookPauseMs = 30_000;
/** Minimum time between two ends of waits by early attempts that succeed: after an outage all that wait are early, and each end reads them all. */
const earlyPauseMs = 1_000;

/**
 * Ends the waits of retries to an app that works again: after a success that began later than a failure, when the app is seen healthy again,
 * and when it has a new channel. A success also ends waits that began on other replicas, within 30 s of further successes. Otherwise what failed during a short outage would hold up its ordering keys for minutes
 * (docs/interface/hooks.md#retries).
 */
export class RetryWaits {
  readonly #context: Pick<HooksContext, "deliveries" | "apps" | "clock" | "logger">;
  readonly #wake: (appName: string) => void;
  /** When a delivery to an app last failed and waits for a retry. Monotonic, by app. */
  readonly #failedAt = new Map<string, number>();
  /** When the waits of an app were last ended. Monotonic, by app. */
  readonly #endedAt = new Map<string, number>();
  readonly #unhealthy = new Set<string>();

  /** `wake` looks for due deliveries of an app. */
  constructor(context: Pick<HooksContext, "deliveries" | "apps" | "clock" | "logger">, wake: (appName: string) => void) {
    this.#context = context;
    this.#wake = wake;
  }

  /** Called after each attempt whose result is stored. `startedAt` is monotonic. */
  attempted({ appName, waitLeftMs }: ClaimedDelivery, { outcome }: AttemptResult, startedAt: number, waits: boolean): void {
    const now = this.#context.clock.monotonic();
    if (waits) {
      this.#failedAt.set(appName, now);
      return;
    }
    if (outcome !== "SUCCESS") return;
    const failedAt = this.#failedAt.get(appName);
    const endedAgoMs = now - (this.#endedAt.get(appName) ?? Number.NEGATIVE_INFINITY);
    const isNews = failedAt !== undefined && startedAt >= failedAt;
    const isEarly = waitLeftMs > 0 && endedAgoMs >= earlyPauseMs;
    const mayMiss = failedAt === undefined && endedAgoMs >= lookPauseMs;
    if (isEarly || isNews || mayMiss) this.end(appName);
  }

  /** Called when an app has no channel any more. */
  forget(appName: string): void {
    this.#failedAt.delete(appName);
    this.#endedAt.delete(appName);
  }

  /** Called after each change of an app. */
  async changed(appName: string): Promise<void> {
    const app = await this.#context.apps.get(appName);
    if (!app) this.forget(appName);
    if (app?.isHealthy === false) this.#unhealthy.add(appName);
    else if (this.#unhealthy.delete(appName)) this.end(appName);
  }

  /** Ends the waits of an app, of which other replicas may have stored some. */
  end(appName: string, isOrdered = false): void {
    const { deliveries, logger, clock } = this.#context;
    this.#failedAt.delete(appName);
    this.#endedAt.set(appName, clock.monotonic());
    deliveries.endWaits(appName, isOrdered).then(
      (ended) => {
        if (ended === 0) return;
        logger.info({ app: appName, deliveries: ended }, "hooks: retries to an app that works again are due now");
        this.#wake(appName);
      },
      (error: unknown) => logger.debug({ err: error, app: appName }, "hooks: could not end the waits of retries"),
    );
  }
}
