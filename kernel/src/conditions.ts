/**
 * The conditions of a list, joined by `and`. Only those that apply are in the statement: with `$1 is null or …` for each of them,
 * the planner would not use the index of a filter.
 */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #texts: string[] = [];

  /** Adds a condition. Each `?` in it stands for the value. */
  add(text: string, value: unknown): void {
    this.#texts.push(text.replaceAll("?", this.parameter(value)));
  }

  /** Returns what stands for a value in a condition that is added by {@link addFixed}. */
  parameter(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** Adds a condition without a value. */
  addFixed(text: string): void {
    this.#texts.push(text);
  }

  /** What follows `where`. */
  get text(): string {
    return this.#texts.join(" and ") || "true";
  }
}
