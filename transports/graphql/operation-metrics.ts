import { metricCatalogue } from "@appserver/contracts/metrics";
import type { CounterHandle, GaugeHandle, Metrics } from "@appserver/kernel/ports";
import type { ExecutionResult, OperationTypeNode } from "graphql";

type Outcomes = Readonly<Record<"success" | "error", CounterHandle>>;

/** Counts operations by type and outcome, and open subscriptions (docs/reference/metrics.md). */
export class OperationMetrics {
  readonly #outcomes: Readonly<Record<OperationTypeNode, Outcomes>>;
  readonly #subscriptions: GaugeHandle;

  constructor(metrics: Metrics) {
    const operations = metrics.counter(metricCatalogue.graphqlOperations);
    const outcomesOf = (type: string): Outcomes => ({
      success: operations.bind({ type, outcome: "success" }),
      error: operations.bind({ type, outcome: "error" }),
    });
    this.#outcomes = {
      query: outcomesOf("query"),
      mutation: outcomesOf("mutation"),
      subscription: outcomesOf("subscription"),
    };
    this.#subscriptions = metrics.gauge(metricCatalogue.graphqlSubscriptionsOpen).bind({});
  }

  /** Counts a finished operation by its outcome. */
  finished(type: OperationTypeNode, { errors }: ExecutionResult): void {
    this.#outcomes[type][errors?.length ? "error" : "success"].add();
  }

  subscriptionOpened(): void {
    this.#outcomes.subscription.success.add();
    this.#subscriptions.add(1);
  }

  subscriptionClosed(): void {
    this.#subscriptions.add(-1);
  }
}
