import { AppError, type Clock, type Logger } from "@appserver/kernel";
import type { Leases } from "@appserver/kernel/ports";
import type { CommandLock } from "../ports.ts";

/** How long the lock of a killed process keeps others out. Renewed at a third of it while the command runs. */
const ttlMs = 10_000;

/** One command an app at a time, by a lease in the database: it survives its holder's death for `ttlMs` only. */
export class LeaseCommandLock implements CommandLock {
  readonly #leases: Leases;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(leases: Leases, clock: Clock, logger: Logger) {
    this.#leases = leases;
    this.#clock = clock;
    this.#logger = logger;
  }

  async run<T>(appName: string, work: () => Promise<T>): Promise<T> {
    const lease = await this.#leases.acquire(`marketplace:${appName}`, ttlMs);
    if (!lease)
      throw new AppError("CONFLICT", `another command is under way on ${appName}; try again`, { details: { app: appName } });
    const done = new AbortController();
    const renewing = this.#renew(() => lease.renew(), appName, done.signal);
    try {
      return await work();
    } finally {
      done.abort();
      await renewing;
      await lease
        .release()
        .catch((error: unknown) => this.#logger.warn({ err: error, app: appName }, "a lease was not released; it will expire"));
    }
  }

  /** A lost lease does not stop the work: the row version refuses whatever it would write too late. */
  async #renew(renew: () => Promise<boolean>, appName: string, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#clock.sleep(ttlMs / 3, signal);
        if (!(await renew())) this.#logger.warn({ app: appName }, "a command outlived its lease");
      }
    } catch (error) {
      if (!signal.aborted) this.#logger.warn({ err: error, app: appName }, "a lease could not be renewed");
    }
  }
}
