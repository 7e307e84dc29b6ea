import { metricCatalogue } from "@appserver/contracts/metrics";
import { type Clock, type Logger, WakeUp } from "@appserver/kernel";
import type { CounterHandle, Metrics } from "@appserver/kernel/ports";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";

export interface SpanQueueOptions {
  readonly exporter: SpanExporter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Maximum number of queued spans. More spans are dropped. */
  readonly capacity: number;
  readonly batchSize: number;
  /** Maximum time in milliseconds that a span waits to be exported in a batch. */
  readonly delayMs: number;
}

/**
 * Sends ended spans to the exporter in batches. The SDK's own batch processor does not report the spans that it drops, and
 * sends all spans at once when it stops.
 */
export class SpanQueue implements SpanProcessor {
  readonly #options: SpanQueueOptions;
  readonly #overflowed: CounterHandle;
  readonly #refused: CounterHandle;
  readonly #stopping = new AbortController();
  #spans: ReadableSpan[] = [];
  #sending: Promise<void> | undefined;
  /** Ends the wait for more spans. */
  readonly #full: WakeUp;
  #isFailing = false;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
    this.#full = new WakeUp(options.clock, this.#stopping.signal);
    const dropped = options.metrics.counter(metricCatalogue.spansDropped);
    this.#overflowed = dropped.bind({ reason: "queue_full" });
    this.#refused = dropped.bind({ reason: "export_failed" });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    const { capacity, batchSize } = this.#options;
    if (this.#spans.length >= capacity || this.#stopping.signal.aborted) {
      this.#overflowed.add();
      return;
    }
    this.#spans.push(span);
    if (this.#spans.length >= batchSize) this.#full.wake();
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  async forceFlush(): Promise<void> {
    this.#full.wake();
    await this.#sending;
  }

  /** Sends the queued spans once and accepts no more. */
  async shutdown(): Promise<void> {
    this.#stopping.abort();
    await this.forceFlush();
    await this.#options.exporter.shutdown();
  }

  async #send(): Promise<void> {
    while (this.#spans.length > 0) {
      await this.#batchDelay();
      const batch = this.#spans.splice(0, this.#options.batchSize);
      const error = await this.#export(batch);
      this.#report(error, batch.length);
    }
  }

  /** Waits until the batch is full, the delay has passed, or the queue stops. */
  async #batchDelay(): Promise<void> {
    const { delayMs, batchSize } = this.#options;
    if (this.#spans.length >= batchSize || this.#stopping.signal.aborted) return;
    this.#full.reset();
    await this.#full.pause(delayMs);
  }

  #export(batch: ReadableSpan[]): Promise<unknown> {
    return new Promise((resolve) => {
      // 0 is success.
      this.#options.exporter.export(batch, ({ code, error }) =>
        resolve(code === 0 ? undefined : (error ?? new Error("refused"))),
      );
    });
  }

  /** Counts every failed export. Logs only the first one of an outage. */
  #report(error: unknown, count: number): void {
    const { logger } = this.#options;
    if (error !== undefined) this.#refused.add(count);
    if (error !== undefined && !this.#isFailing) {
      logger.warn(
        { err: error, spans: count },
        "tracing: could not export spans; dropping them until the collector is reachable",
      );
    }
    if (error === undefined && this.#isFailing) logger.info({}, "tracing: exporting spans works again");
    this.#isFailing = error !== undefined;
  }
}
