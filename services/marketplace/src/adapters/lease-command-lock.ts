import { backoffMs, type Clock, type HoldResult, holdLease } from "@appserver/kernel";
import type { Leases } from "@appserver/kernel/ports";
import { BusyAppError } from "../domain/busy-app.ts";
import type { CommandLock, CommandOrigin } from "../ports.ts";

/** How long the lock of a killed process blocks other commands. */
const ttlMs = 10_000;
/** How long a command waits for another caller's command, and a command of the platform for anything, before it is refused. */
const timeoutMs = 1_000;
/** How long a caller's command waits for the platform's own work. */
const timeoutWithPlatformMs = 5_000;
/** Each attempt is one statement. Between attempts a waiting command has no connection of the database. */
const pauses = { firstMs: 25, maxMs: 250 } as const;

/**
 * Allows one command at a time per app, with a lease in the database. The lease outlives a dead holder by at most `ttlMs`. A
 * command that lost its lease continues; the row version check then rejects its late writes.
 *
 * A caller's command first takes a second lease, which the platform's own work never takes. So a command that has it and finds
 * the app's lease taken has met the platform, on whichever replica, and waits longer. At most one command of each app does.
 */
export class LeaseCommandLock implements CommandLock {
  readonly #leases: Leases;
  readonly #clock: Clock;

  constructor(leases: Leases, clock: Clock) {
    this.#leases = leases;
    this.#clock = clock;
  }

  run<T>(appName: string, command: () => Promise<T>, origin: CommandOrigin = "caller"): Promise<T> {
    const onApp = (limitMs: number) => this.#runWithin(limitMs, appName, () => this.runIfFree(appName, command));
    if (origin === "platform") return onApp(timeoutMs);
    const asCaller = () => this.#hold(`marketplace:command:${appName}`, () => onApp(timeoutWithPlatformMs));
    return this.#runWithin(timeoutMs, appName, asCaller);
  }

  runIfFree<T>(appName: string, work: () => Promise<T>): Promise<HoldResult<T>> {
    return this.#hold(`marketplace:${appName}`, work);
  }

  /** Repeats the attempt until it has run, for `limitMs` at most. Then throws CONFLICT. */
  async #runWithin<T>(limitMs: number, appName: string, attempt: () => Promise<HoldResult<T>>): Promise<T> {
    const until = this.#clock.monotonic() + limitMs;
    for (let failures = 1; ; failures++) {
      const result = await attempt();
      if (result.held) return result.value;
      const leftMs = until - this.#clock.monotonic();
      if (leftMs <= 0) throw new BusyAppError(appName);
      await this.#clock.sleep(Math.min(backoffMs(failures, pauses), leftMs));
    }
  }

  #hold<T>(lease: string, work: () => Promise<T>): Promise<HoldResult<T>> {
    return holdLease(this.#leases, lease, ttlMs, this.#clock, work);
  }
}
