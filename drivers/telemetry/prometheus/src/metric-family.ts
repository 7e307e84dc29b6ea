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
    for (const readings of await Promise.all(this.#reads.map((read) => read()))) addUp(samples, readings);
    return { name, help, type: kind, aggregator: "sum", values: samples };
  }
}

function addUp(samples: Sample[], readings: readonly Reading<string>[]): void {
  for (const reading of readings) {
    const key = JSON.stringify(reading.labels);
    const same = samples.findIndex(({ labels }) => JSON.stringify(labels) === key);
    if (same < 0) samples.push(reading);
    else samples[same] = { labels: reading.labels, value: (samples[same]?.value ?? 0) + reading.value };
  }
}
