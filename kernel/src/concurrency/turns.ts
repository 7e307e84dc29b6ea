/**
 * Spreads tasks over turns of the event loop: a burst that arrives at once, such as a hundred calls in one packet of HTTP/2, must
 * not delay everything else. A task runs at once while fewer than `perTurn` ran in this turn; the others follow in order.
 */
export class Turns {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #ran = 0;
  #isScheduled = false;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** `task` must not throw. */
  run(task: () => void): void {
    this.#schedule();
    if (this.#ran >= this.#perTurn || this.#waiting.length > 0) {
      this.#waiting.push(task);
      return;
    }
    this.#ran += 1;
    task();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isScheduled = false;
    const tasks = this.#waiting.splice(0, this.#perTurn);
    this.#ran = tasks.length;
    if (tasks.length > 0) this.#schedule();
    for (const task of tasks) task();
  }
}
