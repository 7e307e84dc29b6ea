import { otherLabel } from "@appserver/kernel/ports";

/** The series of a metric, by the values of their labels as {@link keyOf} joins them. */
type KnownSeries = Pick<ReadonlyMap<string, unknown>, "has" | "size" | "keys">;

/** Series with `other` that a metric may have in addition to its limit, as a share of it. */
const reserve = 0.1;
const leastReserve = 10;

export function keyOf(values: readonly string[]): string {
  return values.join("\0");
}

/** Chooses the labels of further series of a metric that has as many as it may have. */
export class SeriesLimit {
  readonly #maxSeries: number;
  readonly #reserved: number;
  /** Index of the label with the most values. Searched once, because each request may ask. */
  #widest: number | undefined;

  constructor(maxSeries: number) {
    this.#maxSeries = maxSeries;
    this.#reserved = Math.max(leastReserve, Math.ceil(maxSeries * reserve));
  }

  /** Forgets which label has the most values, when series were removed. */
  reset(): void {
    this.#widest = undefined;
  }

  /**
   * Returns the values that a series with these labels gets: the same while there is space; then `other` for the label with the most
   * values; and if more than one label has too many, `other` for all.
   */
  admit(values: readonly string[], series: KnownSeries): readonly string[] {
    if (values.length === 0 || series.size < this.#maxSeries) return values;
    this.#widest ??= widestOf(values.length, series.keys());
    const reduced = values.with(this.#widest, otherLabel);
    if (series.has(keyOf(reduced)) || series.size < this.#maxSeries + this.#reserved) return reduced;
    return values.map(() => otherLabel);
  }
}

function widestOf(labels: number, keys: Iterable<string>): number {
  const distinct = Array.from({ length: labels }, () => new Set<string>());
  for (const key of keys) for (const [index, value] of key.split("\0").entries()) distinct[index]?.add(value);
  const sizes = distinct.map(({ size }) => size);
  return sizes.indexOf(Math.max(...sizes));
}
