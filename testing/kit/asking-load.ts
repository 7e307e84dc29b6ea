import { isAppError } from "@appserver/kernel";

/** How a load of questions was answered. */
export interface AnswerCounts {
  right: number;
  wrong: number;
  /** Refused with SERVICE_UNAVAILABLE. */
  unavailable: number;
}

/**
 * Ten askers, each with one question after the other, while a test takes away what answers them. A question resolves to
 * whether it was answered rightly; one that rejects with anything but SERVICE_UNAVAILABLE fails whoever waits.
 */
export class AskingLoad {
  readonly counts: AnswerCounts = { right: 0, wrong: 0, unavailable: 0 };
  readonly #askers: Promise<unknown>;
  #slowestMs = 0;
  #asking = true;

  /** `ask` gets the number of the question, counted by each asker for itself from its own number on. */
  constructor(ask: (question: number) => Promise<boolean>) {
    const askers = Array.from({ length: 10 }, async (_, asker) => {
      for (let question = asker; this.#asking; question += 1) await this.#askOnce(ask, question);
    });
    this.#askers = Promise.all(askers);
    // Heard by those who wait; nobody may be waiting at the moment.
    this.#askers.catch(() => {});
  }

  /** Resolves once so many were answered, or refused, since the call. */
  async more(kind: keyof AnswerCounts, count: number): Promise<void> {
    const enough = this.counts[kind] + count;
    while (this.counts[kind] < enough) await Promise.race([pause(), this.#askers]);
  }

  /** Ends the load, and answers how it went and how long the slowest question took. */
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
