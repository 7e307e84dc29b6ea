import type { MaybePromise } from "../maybe-promise.ts";

interface Definition<Label extends string> {
  /** With its unit as suffix: `_seconds`, `_bytes`, `_total` (https://prometheus.io/docs/practices/naming/). */
  readonly name: string;
  readonly help: string;
  /** Values must come from a bounded set: each combination is a series for as long as the process lives. */
  readonly labels: readonly Label[];
  /**
   * Maximum number of series, default {@link defaultMaxSeries}. Protects scrapes from a label whose values are not bounded after all:
   * further values of the label that has most of them are counted as {@link otherLabel}.
   */
  readonly maxSeries?: number;
}

/** Value of a label in place of those that the metric has no series for. */
export const otherLabel = "other";
/** By kind. A series of a histogram has a line for each bucket. */
export const defaultMaxSeries = { counter: 5_000, gauge: 5_000, histogram: 1_000 } as const;
/** Longer values of labels are cut. */
export const maxLabelLength = 200;

export interface CounterDefinition<Label extends string = string> extends Definition<Label> {
  readonly kind: "counter";
}

export interface GaugeDefinition<Label extends string = string> extends Definition<Label> {
  readonly kind: "gauge";
}

export interface HistogramDefinition<Label extends string = string> extends Definition<Label> {
  readonly kind: "histogram";
  /** Upper bounds, ascending. Default: from 1 ms to 30 s, for durations in seconds. */
  readonly buckets?: readonly number[];
}

/** One value for each label of the definition. */
export type Labels<Label extends string> = Readonly<Record<Label, string>>;

/**
 * A metric whose series are bound in advance: call `bind` once per combination of labels and use the handle at every request.
 */
export interface Instrument<Label extends string, Handle> {
  /** Returns the handle of these labels, the same one for the same labels. */
  bind(labels: Labels<Label>): Handle;
}

export interface CounterHandle {
  /** Adds `amount`, not negative; default 1. */
  add(amount?: number): void;
}

export interface GaugeHandle {
  set(value: number): void;
  /** May be negative. */
  add(amount: number): void;
}

export interface HistogramHandle {
  observe(value: number): void;
}

export type Counter<Label extends string = string> = Instrument<Label, CounterHandle>;
export type Gauge<Label extends string = string> = Instrument<Label, GaugeHandle>;
export type Histogram<Label extends string = string> = Instrument<Label, HistogramHandle>;

/** One value of a metric that is read on demand. */
export interface Reading<Label extends string = string> {
  readonly labels: Labels<Label>;
  readonly value: number;
}

/** The text that a scraper receives. */
export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

/**
 * Metrics for operators (docs/interface/operations.md#metrics). Defining a metric twice returns the same one; the same name
 * with another kind or other labels throws.
 */
export interface Metrics {
  counter<Label extends string>(definition: CounterDefinition<Label>): Counter<Label>;
  gauge<Label extends string>(definition: GaugeDefinition<Label>): Gauge<Label>;
  histogram<Label extends string>(definition: HistogramDefinition<Label>): Histogram<Label>;
  /**
   * Defines a metric that is read at each scrape and contains exactly what `read` returns. If `read` rejects or takes longer
   * than 2 s, the metric has no values from it that time. Values of several reads of one metric are added, and those of a counter
   * are added to what its handles have counted.
   */
  observe<Label extends string>(
    definition: GaugeDefinition<Label> | CounterDefinition<Label>,
    read: () => MaybePromise<readonly Reading<Label>[]>,
  ): void;
  /** Returns what the handles of a counter have counted so far, without what its observers read. */
  totals<Label extends string>(definition: CounterDefinition<Label>): readonly Reading<Label>[];
  /**
   * Removes every series of every metric that has all of these label values; called when their subject no longer exists. New
   * handles count from 0; counts of handles bound before are no longer exposed.
   */
  remove(labels: Labels<string>): void;
  /** Returns all metrics in the driver's format. Does not reject because one gauge fails. */
  expose(): Promise<Exposition>;
}
