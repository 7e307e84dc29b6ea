import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Metrics } from "@appserver/kernel/ports";
import type { DeliveryStatus } from "../domain/delivery.ts";
import type { DeliveryChannel } from "./delivery-channel.ts";

/**
 * Counts a finished attempt, once the delivery's new state is stored. A PENDING delivery is not counted, because it was never
 * sent.
 */
export type CountAttempt = (status: DeliveryStatus, durationMs: number) => void;

/** Returns what counts the attempts on a channel (docs/reference/metrics.md). */
export function countAttempts(
  metrics: Metrics,
  { appName: app, pushes }: Pick<DeliveryChannel, "appName" | "pushes">,
): CountAttempt {
  const transport = pushes ? "push" : "stream";
  const duration = metrics.histogram(metricCatalogue.hookDeliveryDuration).bind({ transport });
  const deliveries = metrics.counter(metricCatalogue.hookDeliveries);
  const outcome = (name: string) => deliveries.bind({ app, transport, outcome: name });
  const outcomes = {
    DELIVERED: outcome("delivered"),
    RETRYING: outcome("retried"),
    DROPPED: outcome("dropped"),
    DEAD: outcome("dead"),
    PENDING: undefined,
    SENDING: undefined,
  };
  return (status, durationMs) => {
    const counter = outcomes[status];
    if (!counter) return;
    counter.add();
    duration.observe(durationMs / 1000);
  };
}
