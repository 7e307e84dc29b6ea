import { isAppError } from "@appserver/kernel";

/** Counts of the outcomes of a load. */
export interface AnswerCounts {
  right: number;
  wrong: number;
  /** Refused with SERVICE_UNAVAILABLE. */
  unavailable: number;
}

/**
 * Ten clients that each send one query after another while a test stops the server behind them. A query resolves to whether its
 * result was right. A query that rejects with anything but SERVICE_UNAVAILABLE fails every method that waits.
 */
export class AskingLoad {
  readonly counts: AnswerCounts = { right: 0, wrong: 0, unavailable: 0 };
  readonly #askers: Promise<unknown>;
  #slowestMs = 0;
  #asking = true;

  /** `ask` receives the number of the query. Each client counts on its own, from its own start number. */
  constructor(ask: (question: number) => Promise<boolean>) {
    const askers = Array.from({ length: 10 }, async (_, asker) => {
      for (let question = asker; this.#asking; question += 1) await this.#askOnce(ask, question);
    });
    this.#askers = Promise.all(askers);
    // The methods that wait receive the rejection. At the moment there may be none.
    this.#askers.catch(() => {});
  }

  /** Resolves once this many queries since the call succeeded or were refused. */
  async more(kind: keyof AnswerCounts, count: number): Promise<void> {
    const enough = this.counts[kind] + count;
    while (this.counts[kind] < enough) await Promise.race([pause(), this.#askers]);
  }

  /** Ends the load. Returns the counts and the duration of the slowest query. */
  async stop(): Promise<AnswerCounts & { readonly slowestMs: number }> {
    this.#asking = false;
    await this.#askers;
    return { ...this.counts, slowestMs: Math.round(this.#slowestMs) };
  }

  async #askOnce(ask: (question: number) => Promise<boolean>, question: number): Promise<void> {
    const started = performance.now();
    try {
      this.counts[(await ask(question)) ? "right" : "wrong"] += 1;
    } catch (error) {
      if (!isAppError(error, "SERVICE_UNAVAILABLE")) throw error;
      this.counts.unavailable += 1;
    }
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - started);
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
