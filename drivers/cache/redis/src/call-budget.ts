import { setImmediate } from "node:timers/promises";
import type { Clock } from "@appserver/kernel";

interface Call {
  readonly deadline: number;
  expire: ((error: Error) => void) | undefined;
}

/** A call had no reply within its budget. */
export class BudgetExceededError extends Error {}

/** Turns of the process into which a budget is divided. */
const turns = 5;

/**
 * Gives up calls that take longer than a budget. All calls have the same budget, so they expire in the order in which they were
 * made, and one sleeper serves all of them instead of one timer each. Where the machine is short of processor time, this process gets its
 * turns late, and so does the server: a budget is counted in turns, however late they come. Otherwise an overload would count as an outage.
 */
export class CallBudget {
  readonly #budgetMs: number;
  readonly #turnMs: number;
  readonly #clock: Clock;
  /** Called after the calls were given up: one late call makes all behind it late. */
  readonly #onExceeded: () => void;
  #calls: Call[] = [];
  #watching = false;

  constructor(budgetMs: number, clock: Clock, onExceeded: () => void) {
    this.#budgetMs = budgetMs;
    this.#turnMs = budgetMs / turns;
    this.#clock = clock;
    this.#onExceeded = onExceeded;
  }

  /** Returns the reply or its failure, or rejects with BudgetExceededError. */
  within<T>(reply: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const call: Call = { deadline: this.#clock.monotonic() + this.#budgetMs, expire: reject };
      this.#calls.push(call);
      reply.then(
        (value) => {
          call.expire = undefined;
          resolve(value);
        },
        (error: Error) => {
          call.expire = undefined;
          reject(error);
        },
      );
      if (!this.#watching) void this.#watch();
    });
  }

  /** Gives up every pending call now. */
  expireAll(error: Error): void {
    const calls = this.#calls;
    this.#calls = [];
    for (const call of calls) call.expire?.(error);
  }

  async #watch(): Promise<void> {
    this.#watching = true;
    for (let oldest = this.#oldest(); oldest; oldest = this.#oldest()) {
      let waitMs = oldest.deadline - this.#clock.monotonic();
      for (; waitMs > 0 && oldest.expire; waitMs -= this.#turnMs) await this.#clock.sleep(Math.min(waitMs, this.#turnMs));
      if (!oldest.expire) continue;
      await this.#readWhatHasCome(oldest.deadline);
      if (!oldest.expire) continue;
      this.expireAll(new BudgetExceededError(`no response within ${this.#budgetMs} ms`));
      this.#onExceeded();
    }
    this.#watching = false;
  }

  /**
   * After a busy period, the process finds its timers due before it has read waiting replies or even sent the commands. This is
   * not the server's fault: replies are read first, with as much extra time as the process was late.
   */
  async #readWhatHasCome(deadline: number): Promise<void> {
    const lateMs = this.#clock.monotonic() - deadline;
    if (lateMs > 5) await this.#clock.sleep(Math.min(lateMs, this.#budgetMs));
    await setImmediate();
  }

  #oldest(): Call | undefined {
    const first = this.#calls.findIndex(({ expire }) => expire);
    this.#calls = first < 0 ? [] : this.#calls.slice(first);
    return this.#calls[0];
  }
}
