import type { Labels, MetricSample, Reading } from "@appserver/kernel/ports";
import type { SampleSource } from "../ports.ts";

/** The growth of a counter between samples. */
export class CounterSamples<Label extends string> implements SampleSource {
  readonly #read: () => readonly Reading<Label>[];
  readonly #nameOf: (labels: Labels<Label>) => Pick<MetricSample, "appName" | "name">;
  #before = new Map<string, number>();

  constructor(
    read: () => readonly Reading<Label>[],
    nameOf: (labels: Labels<Label>) => Pick<MetricSample, "appName" | "name">,
  ) {
    this.#read = read;
    this.#nameOf = nameOf;
  }

  takeSamples(): readonly MetricSample[] {
    const samples: MetricSample[] = [];
    const now = new Map<string, number>();
    for (const { labels, value: total } of this.#read()) {
      const key = JSON.stringify(labels);
      now.set(key, total);
      const before = this.#before.get(key) ?? 0;
      // A series that was removed starts again at 0.
      const value = total < before ? total : total - before;
      if (value > 0) samples.push({ ...this.#nameOf(labels), route: "", value });
    }
    this.#before = now;
    return samples;
  }
}
