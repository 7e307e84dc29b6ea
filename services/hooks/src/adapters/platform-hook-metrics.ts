import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Counter, Gauge, Histogram, Metrics } from "@appserver/kernel/ports";
import type { AttemptMetrics, DeliveryStore, HookMetrics, Transport } from "../ports.ts";

/** Counts triggers and deliveries for the platform's metrics (docs/reference/metrics.md). */
export class PlatformHookMetrics implements HookMetrics {
  readonly #triggers: Counter<"app">;
  readonly #deliveries: Counter<"app" | "transport" | "outcome">;
  readonly #duration: Histogram<"transport">;
  readonly #streams: Gauge<"app">;

  constructor(metrics: Metrics) {
    this.#triggers = metrics.counter(metricCatalogue.hookTriggers);
    this.#deliveries = metrics.counter(metricCatalogue.hookDeliveries);
    this.#duration = metrics.histogram(metricCatalogue.hookDeliveryDuration);
    this.#streams = metrics.gauge(metricCatalogue.hookStreamsOpen);
  }

  triggered(sourceApp: string | undefined): void {
    this.#triggers.bind({ app: sourceApp ?? "none" }).add();
  }

  attempts(app: string, transport: Transport): AttemptMetrics {
    const outcome = (name: string) => this.#deliveries.bind({ app, transport, outcome: name });
    const outcomes = {
      DELIVERED: outcome("delivered"),
      RETRYING: outcome("retried"),
      DROPPED: outcome("dropped"),
      DEAD: outcome("dead"),
      PENDING: undefined,
      SENDING: undefined,
    };
    const duration = this.#duration.bind({ transport });
    return {
      finished: (status, durationMs) => {
        const counter = outcomes[status];
        if (!counter) return;
        counter.add();
        duration.observe(durationMs / 1000);
      },
    };
  }

  streamOpened(app: string): () => void {
    const open = this.#streams.bind({ app });
    open.add(1);
    return () => open.add(-1);
  }
}

/** Registers gauges that are counted in the database at each scrape. */
export function observeDeliveries(metrics: Metrics, deliveries: Pick<DeliveryStore, "unfinished" | "deadLetters">): void {
  metrics.observe(metricCatalogue.hookDeliveriesUnfinished, async () =>
    [...(await deliveries.unfinished())].map(([status, value]) => ({ labels: { status }, value })),
  );
  metrics.observe(metricCatalogue.hookDeadLetters, async () => [{ labels: {}, value: await deliveries.deadLetters() }]);
}
