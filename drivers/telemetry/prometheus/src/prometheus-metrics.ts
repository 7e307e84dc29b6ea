import { type Clock, type Logger, within } from "@appserver/kernel";
import type {
  Counter,
  CounterDefinition,
  Exposition,
  Gauge,
  GaugeDefinition,
  Histogram,
  HistogramDefinition,
  Labels,
  Metrics,
  Reading,
} from "@appserver/kernel/ports";
import type { Metric, Registry } from "prom-client";
import { type FamilyDefinition, MetricFamily } from "./metric-family.ts";
import { HistogramSeries, NumberSeries, type Series } from "./series.ts";

export interface PrometheusMetricsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether the metrics of the process are included. Default true. */
  readonly ofProcess?: boolean;
  /** Labels of every series. Default none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Buckets for durations in seconds. */
const defaultBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const readTimeoutMs = 2_000;

/** Excluded gauges: their names end in `_total`, which is for counters. `nodejs_active_*` has the same values by type. */
const misnamed = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/**
 * Records metrics in Prometheus' text format. Counts are plain fields. prom-client, which formats them and reads the metrics of
 * the process, is loaded at the first scrape.
 */
export class PrometheusMetrics implements Metrics {
  readonly #options: PrometheusMetricsOptions;
  readonly #families = new Map<string, MetricFamily<Series>>();
  #registry: Promise<Registry> | undefined;

  constructor(options: PrometheusMetricsOptions) {
    this.#options = options;
  }

  counter<Label extends string>(definition: CounterDefinition<Label>): Counter<Label> {
    return this.#family(definition, () => new NumberSeries()) as Counter<Label>;
  }

  gauge<Label extends string>(definition: GaugeDefinition<Label>): Gauge<Label> {
    return this.#family(definition, () => new NumberSeries()) as Gauge<Label>;
  }

  histogram<Label extends string>(definition: HistogramDefinition<Label>): Histogram<Label> {
    const { buckets = defaultBuckets } = definition;
    return this.#family(definition, () => new HistogramSeries(buckets)) as Histogram<Label>;
  }

  observe<Label extends string>(
    definition: GaugeDefinition<Label> | CounterDefinition<Label>,
    read: () => Promise<readonly Reading<Label>[]> | readonly Reading<Label>[],
  ): void {
    this.#family(definition, () => new NumberSeries()).add(() => this.#read(definition.name, read));
  }

  totals<Label extends string>(definition: CounterDefinition<Label>): readonly Reading<Label>[] {
    return this.#family(definition, () => new NumberSeries()).totals() as readonly Reading<Label>[];
  }

  remove(labels: Labels<string>): void {
    for (const family of this.#families.values()) family.remove(labels);
  }

  async expose(): Promise<Exposition> {
    this.#registry ??= this.#load();
    const registry = await this.#registry;
    return { contentType: registry.contentType, body: await registry.metrics() };
  }

  #family<Handle extends Series>(definition: FamilyDefinition, create: () => Handle): MetricFamily<Handle> {
    const known = this.#families.get(definition.name);
    if (known) {
      const isSame = known.definition.kind === definition.kind && known.definition.labels.join() === definition.labels.join();
      if (!isSame) throw new Error(`the metric ${definition.name} is defined twice, differently`);
      return known as MetricFamily<Handle>;
    }
    const family = new MetricFamily(definition, create);
    this.#families.set(definition.name, family);
    this.#registry?.then((registry) => register(registry, family)).catch(() => {});
    return family;
  }

  async #load(): Promise<Registry> {
    const { collectDefaultMetrics, Registry } = await import("prom-client");
    const registry = new Registry();
    registry.setDefaultLabels(this.#options.labels ?? {});
    if (this.#options.ofProcess !== false) collectDefaultMetrics({ register: registry });
    for (const name of misnamed) registry.removeSingleMetric(name);
    for (const family of this.#families.values()) register(registry, family);
    return registry;
  }

  async #read(
    name: string,
    read: () => Promise<readonly Reading<string>[]> | readonly Reading<string>[],
  ): Promise<readonly Reading<string>[]> {
    const { clock, logger } = this.#options;
    const error = (): Error => new Error(`no response in ${readTimeoutMs} ms`);
    try {
      return await within(async () => read(), { clock, ms: readTimeoutMs, error });
    } catch (error) {
      logger.debug({ err: error, metric: name }, "metrics: could not read a metric");
      return [];
    }
  }
}

/** The registry uses only `name` and `get` of its metrics, but its type requires more. */
function register(registry: Registry, family: MetricFamily<Series>): void {
  registry.registerMetric(family as unknown as Metric);
}
