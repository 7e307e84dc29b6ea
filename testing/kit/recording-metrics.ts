import type { CounterDefinition, Exposition, GaugeDefinition, Labels, Metrics, Reading } from "@appserver/kernel/ports";

interface Definition {
  readonly name: string;
}

type Read = () => Promise<readonly Reading<string>[]> | readonly Reading<string>[];

/** Keeps the recorded values. Tests read them by the metric's definition. */
export class RecordingMetrics implements Metrics {
  readonly #values = new Map<string, number>();
  readonly #reads: { readonly name: string; readonly read: Read }[] = [];

  counter(definition: Definition) {
    return this.#instrument(definition);
  }

  gauge(definition: Definition) {
    return this.#instrument(definition);
  }

  histogram(definition: Definition) {
    return this.#instrument(definition);
  }

  observe<Label extends string>(
    { name }: GaugeDefinition<Label> | CounterDefinition<Label>,
    read: () => Promise<readonly Reading<Label>[]> | readonly Reading<Label>[],
  ): void {
    this.#reads.push({ name, read });
  }

  totals<Label extends string>({ name }: CounterDefinition<Label>): readonly Reading<Label>[] {
    const prefix = `${name} `;
    return [...this.#values].flatMap(([key, value]) => {
      if (!key.startsWith(prefix)) return [];
      return [{ labels: Object.fromEntries(JSON.parse(key.slice(prefix.length))) as Labels<Label>, value }];
    });
  }

  remove(labels: Labels<string>): void {
    const wanted = Object.entries(labels).map((entry) => JSON.stringify(entry));
    for (const key of this.#values.keys()) if (wanted.every((entry) => key.includes(entry))) this.#values.delete(key);
  }

  async expose(): Promise<Exposition> {
    return { contentType: "text/plain; charset=utf-8", body: "" };
  }

  /** Returns the value of a counter or a gauge, or the number of observations of a histogram. */
  value({ name }: Definition, labels: Labels<string> = {}): number {
    return this.#values.get(keyOf(name, labels)) ?? 0;
  }

  /** Returns the current value of a metric with a callback. */
  async readings({ name }: Definition): Promise<readonly Reading<string>[]> {
    const wanted = this.#reads.filter((entry) => entry.name === name);
    const readings: Reading<string>[] = [];
    for (const { read } of wanted) readings.push(...(await read()));
    return readings;
  }

  #instrument({ name }: Definition) {
    return {
      bind: (labels: Labels<string>) => {
        const key = keyOf(name, labels);
        const add = (amount = 1): void => {
          this.#values.set(key, (this.#values.get(key) ?? 0) + amount);
        };
        return { add, set: (value: number) => void this.#values.set(key, value), observe: () => add() };
      },
    };
  }
}

function keyOf(name: string, labels: Labels<string>): string {
  return `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
}
