/** Runs work for one app in the order of the calls, and for different apps at once, up to a limit. */
export class AppQueues {
  readonly #limit: number;
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  run<T>(app: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(app) ?? Promise.resolve();
    const result = before.then(() => this.#runInSlot(work));
    const end = result.then(
      () => {},
      () => {},
    );
    this.#last.set(app, end);
    void end.then(() => {
      if (this.#last.get(app) === end) this.#last.delete(app);
    });
    return result;
  }

  async #runInSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The next one takes the slot over.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
