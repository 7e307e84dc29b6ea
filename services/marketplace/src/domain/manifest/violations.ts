import type { FieldViolation } from "@appserver/kernel";
import { manifestLimits } from "./manifest-limits.ts";

/** Collects violations and warnings with the path of each field. Lists a limited number of each and counts the rest. */
export class Violations {
  readonly #found: FieldViolation[] = [];
  readonly #warnings: FieldViolation[] = [];
  readonly #fields = new Set<string>();
  #count = 0;
  #warningCount = 0;

  get found(): readonly FieldViolation[] {
    return capped(this.#found, this.#count, "violations");
  }

  get warnings(): readonly FieldViolation[] {
    return capped(this.#warnings, this.#warningCount, "warnings");
  }

  /** The number of violations, including those that are not listed. */
  get count(): number {
    return this.#count;
  }

  /** Returns whether a violation of the field is listed. */
  has(field: string): boolean {
    return this.#fields.has(field);
  }

  add(field: string, message: string): void {
    this.#count += 1;
    if (this.#found.length >= manifestLimits.violations) return;
    this.#found.push({ field, message });
    this.#fields.add(field);
  }

  warn(field: string, message: string): void {
    this.#warningCount += 1;
    if (this.#warnings.length < manifestLimits.violations) this.#warnings.push({ field, message });
  }

  /** Adds the violation unless `holds`. Returns `holds`. */
  check(holds: boolean, field: string, message: string | (() => string)): boolean {
    if (!holds) this.add(field, typeof message === "string" ? message : message());
    return holds;
  }

  /** Adds a violation if `problem` is set. Returns whether there was no problem. */
  none(problem: string | undefined, field: string): boolean {
    if (problem !== undefined) this.add(field, problem);
    return problem === undefined;
  }
}

function capped(listed: readonly FieldViolation[], count: number, what: string): readonly FieldViolation[] {
  const more = count - listed.length;
  return more > 0 ? [...listed, { field: "manifest", message: `and ${more} more ${what}` }] : listed;
}
