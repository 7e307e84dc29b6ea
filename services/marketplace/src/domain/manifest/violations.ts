import type { FieldViolation } from "@appserver/kernel";

/** Collects everything that is wrong, with the path of each field, and what is merely worth a warning. */
export class Violations {
  readonly found: FieldViolation[] = [];
  readonly warnings: FieldViolation[] = [];

  add(field: string, message: string): void {
    this.found.push({ field, message });
  }

  warn(field: string, message: string): void {
    this.warnings.push({ field, message });
  }

  /** Adds the violation unless `holds`. Answers `holds`. */
  check(holds: boolean, field: string, message: string): boolean {
    if (!holds) this.add(field, message);
    return holds;
  }
}
