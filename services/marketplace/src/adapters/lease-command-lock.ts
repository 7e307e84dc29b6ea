import { type Clock, type HoldResult, holdLease } from "@appserver/kernel";
import type { Leases } from "@appserver/kernel/ports";
import { BusyAppError } from "../domain/busy-app.ts";
import type { CommandLock } from "../ports.ts";

/** How long the lock of a killed process blocks other commands. */
const ttlMs = 10_000;
/** How long a command waits for another one before it is refused, and how often it retries. */
const [patienceMs, lookMs] = [1_000, 50];

/**
 * Allows one command at a time per app, with a lease in the database. The lease outlives a dead holder by at most `ttlMs`. A
 * command that lost its lease continues; the row version check then rejects its late writes.
 */
export class LeaseCommandLock implements CommandLock {
  readonly #leases: Leases;
  readonly #clock: Clock;

  constructor(leases: Leases, clock: Clock) {
    this.#leases = leases;
    this.#clock = clock;
  }

  async run<T>(appName: string, command: () => Promise<T>): Promise<T> {
    const until = this.#clock.monotonic() + patienceMs;
    for (;;) {
      const result = await this.runIfFree(appName, command);
      if (result.held) return result.value;
      if (this.#clock.monotonic() >= until) throw new BusyAppError(appName);
      await this.#clock.sleep(lookMs);
    }
  }

  runIfFree<T>(appName: string, work: () => Promise<T>): Promise<HoldResult<T>> {
    return holdLease(this.#leases, `marketplace:${appName}`, ttlMs, this.#clock, work);
  }
}
