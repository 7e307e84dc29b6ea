import type { CounterHandle, GaugeHandle, HistogramHandle } from "@appserver/kernel/ports";

/** One line of the exposition. */
export interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The readable side of a handle. */
export interface Series {
  /** Adds the current values to `samples` at each scrape. */
  write(name: string, labels: Readonly<Record<string, string>>, samples: Sample[]): void;
}

/** A number in a field: a count at each request costs one addition. */
export class NumberSeries implements CounterHandle, GaugeHandle, Series {
  #value = 0;

  add(amount = 1): void {
    this.#value += amount;
  }

  set(value: number): void {
    this.#value = value;
  }

  write(_name: string, labels: Readonly<Record<string, string>>, samples: Sample[]): void {
    samples.push({ labels, value: this.#value });
  }
}

/** Counts by bucket, summed only at each scrape. */
export class HistogramSeries implements HistogramHandle, Series {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  write(name: string, labels: Readonly<Record<string, string>>, samples: Sample[]): void {
    let count = 0;
    for (const [bucket, bound] of [...this.#bounds, "+Inf"].entries()) {
      count += this.#counts[bucket] ?? 0;
      samples.push({ metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: count });
    }
    samples.push({ metricName: `${name}_sum`, labels, value: this.#sum });
    samples.push({ metricName: `${name}_count`, labels, value: count });
  }
}
