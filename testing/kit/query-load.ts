import { isAppError } from "@appserver/kernel";

/** Counts of the outcomes of a load. */
interface ResultCounts {
  right: number;
  wrong: number;
  /** Refused with SERVICE_UNAVAILABLE. */
  unavailable: number;
}

/**
 * Ten clients that each send one query after another while a test stops the server behind them. A query resolves to whether its
 * result was right. A query that rejects with anything but SERVICE_UNAVAILABLE fails every method that waits.
 */
export class QueryLoad {
  readonly counts: ResultCounts = { right: 0, wrong: 0, unavailable: 0 };
  readonly #clients: Promise<unknown>;
  #slowestMs = 0;
  #isOpen = true;

  /** `query` receives the number of the query. Each client counts on its own, from its own start number. */
  constructor(query: (sequence: number) => Promise<boolean>) {
    const clients = Array.from({ length: 10 }, async (_, client) => {
      for (let sequence = client; this.#isOpen; sequence += 1) await this.#queryOnce(query, sequence);
    });
    this.#clients = Promise.all(clients);
    // The methods that wait receive the rejection. At the moment there may be none.
    this.#clients.catch(() => {});
  }

  /** Resolves once this many queries since the call succeeded or were refused. */
  async more(kind: keyof ResultCounts, count: number): Promise<void> {
    const enough = this.counts[kind] + count;
    while (this.counts[kind] < enough) await Promise.race([pause(), this.#clients]);
  }

  /** Ends the load. Returns the counts and the duration of the slowest query. */
  async stop(): Promise<ResultCounts & { readonly slowestMs: number }> {
    this.#isOpen = false;
    await this.#clients;
    return { ...this.counts, slowestMs: Math.round(this.#slowestMs) };
  }

  async #queryOnce(query: (sequence: number) => Promise<boolean>, sequence: number): Promise<void> {
    const started = performance.now();
    try {
      this.counts[(await query(sequence)) ? "right" : "wrong"] += 1;
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
