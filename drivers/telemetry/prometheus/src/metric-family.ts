import type { Instrument, Labels, Reading } from "@appserver/kernel/ports";
import type { Sample, Series } from "./series.ts";

/** The definition of a metric. */
export interface FamilyDefinition {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
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

  constructor(definition: FamilyDefinition, create: () => Handle) {
    this.definition = definition;
    this.#create = create;
  }

  get name(): string {
    return this.definition.name;
  }

  bind(labels: Labels<string>): Handle {
    const values = this.definition.labels.map((label) => labels[label] ?? "");
    const key = values.join("\0");
    const known = this.#series.get(key);
    if (known) return known.handle;
    const handle = this.#create();
    const entries = this.definition.labels.map((label, index) => [label, values[index] ?? ""] as const);
    this.#series.set(key, { labels: Object.fromEntries(entries), handle });
    return handle;
  }

  remove(labels: Labels<string>): void {
    const wanted = Object.entries(labels);
    for (const [key, series] of this.#series) {
      if (wanted.every(([label, value]) => series.labels[label] === value)) this.#series.delete(key);
    }
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
    return { name, help, type: kind, aggregator: "sum", values: addUp(samples, readings) };
  }
}

function addUp(samples: readonly Sample[], readings: readonly Reading<string>[]): readonly Sample[] {
  if (readings.length === 0) return samples;
  const sums = new Map(samples.map((sample) => [JSON.stringify(sample.labels), sample]));
  for (const { labels, value } of readings) {
    const key = JSON.stringify(labels);
    sums.set(key, { labels, value: (sums.get(key)?.value ?? 0) + value });
  }
  return [...sums.values()];
}
