import { defaultMaxSeries, type Instrument, type Labels, maxLabelLength, type Reading } from "@appserver/kernel/ports";
import type { Sample, Series } from "./series.ts";
import { keyOf, SeriesLimit } from "./series-limit.ts";

/** The definition of a metric. */
export interface FamilyDefinition {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  readonly maxSeries?: number;
}

type Read = () => Promise<readonly Reading<string>[]>;

/**
 * All series of one metric, in the form that prom-client's registry expects: `name` and `get`.
 */
export class MetricFamily<Handle extends Series> implements Instrument<string, Handle> {
  readonly definition: FamilyDefinition;
  readonly #create: () => Handle;
  readonly #series = new Map<string, { readonly labels: Labels<string>; readonly handle: Handle }>();
  readonly #reads: Read[] = [];
  readonly #limit: SeriesLimit;

  constructor(definition: FamilyDefinition, create: () => Handle) {
    this.definition = definition;
    this.#create = create;
    this.#limit = this.#newLimit();
  }

  get name(): string {
    return this.definition.name;
  }

  bind(labels: Labels<string>): Handle {
    const values = this.#valuesOf(labels);
    const known = this.#series.get(keyOf(values));
    if (known) return known.handle;
    const admitted = this.#limit.admit(values, this.#series);
    const key = keyOf(admitted);
    const handle = this.#series.get(key)?.handle ?? this.#create();
    this.#series.set(key, { labels: this.#labelsOf(admitted), handle });
    return handle;
  }

  remove(labels: Labels<string>): void {
    const wanted = Object.entries(labels).map(([label, value]) => [label, cut(value)] as const);
    for (const [key, series] of this.#series) {
      if (wanted.every(([label, value]) => series.labels[label] === value)) this.#series.delete(key);
    }
    this.#limit.reset();
  }

  /** Returns the values of the handles. */
  totals(): readonly Reading<string>[] {
    const samples: Sample[] = [];
    for (const { labels, handle } of this.#series.values()) handle.write(this.name, labels, samples);
    return samples as readonly Reading<string>[];
  }

  /** Adds a function that is also read at each scrape. */
  add(read: Read): void {
    this.#reads.push(read);
  }

  async get(): Promise<{
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly aggregator: "sum";
    readonly values: readonly Sample[];
  }> {
    const { name, help, kind } = this.definition;
    const samples: Sample[] = [];
    for (const { labels, handle } of this.#series.values()) handle.write(name, labels, samples);
    const readings = (await Promise.all(this.#reads.map((read) => read()))).flat();
    return { name, help, type: kind, aggregator: "sum", values: this.#addUp(samples, readings) };
  }

  #addUp(samples: readonly Sample[], readings: readonly Reading<string>[]): readonly Sample[] {
    if (readings.length === 0) return samples;
    const sums = new Map(samples.map((sample) => [keyOf(this.#valuesOf(sample.labels as Labels<string>)), sample]));
    const limit = this.#newLimit();
    for (const { labels, value } of readings) {
      const given = this.#valuesOf(labels);
      const values = sums.has(keyOf(given)) ? given : limit.admit(given, sums);
      const key = keyOf(values);
      sums.set(key, { labels: this.#labelsOf(values), value: (sums.get(key)?.value ?? 0) + value });
    }
    return [...sums.values()];
  }

  #newLimit(): SeriesLimit {
    const { kind, maxSeries = defaultMaxSeries[kind] } = this.definition;
    return new SeriesLimit(maxSeries);
  }

  #valuesOf(labels: Labels<string>): readonly string[] {
    return this.definition.labels.map((label) => cut(labels[label] ?? ""));
  }

  #labelsOf(values: readonly string[]): Labels<string> {
    return Object.fromEntries(this.definition.labels.map((label, index) => [label, values[index] ?? ""]));
  }
}

function cut(value: string): string {
  return value.length > maxLabelLength ? value.slice(0, maxLabelLength) : value;
}
