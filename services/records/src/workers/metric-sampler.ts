import { type Clock, type Component, every, type Logger } from "@appserver/kernel";
import type { MetricHistory, SampleSource } from "../ports.ts";

export interface MetricSamplerOptions {
  readonly history: Pick<MetricHistory, "append">;
  readonly sources: readonly SampleSource[];
  /** Of all processes of the platform, on all machines. */
  readonly process: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default 10 s. */
  readonly intervalMs?: number;
}

/** Stores what this process counts, every 10 s. Counts of an interval are lost if the database is unreachable at its end. */
export class MetricSampler implements Component {
  readonly name = "metric sampler";
  readonly #options: Required<MetricSamplerOptions>;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: MetricSamplerOptions) {
    this.#options = { intervalMs: 10_000, ...options };
  }

  start(): void {
    const { clock, intervalMs, logger } = this.#options;
    this.#running = every({
      clock,
      signal: this.#stopping.signal,
      intervalMs,
      first: "after a pause",
      run: () => this.#sample(),
      onError: (error) => logger.debug({ err: error }, "metrics: could not store a sample"),
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #sample(): Promise<void> {
    const samples = this.#options.sources.flatMap((source) => source.takeSamples());
    if (samples.length > 0) await this.#options.history.append(this.#options.process, samples);
  }
}
