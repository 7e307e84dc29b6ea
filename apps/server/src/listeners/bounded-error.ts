import type { AppError, FieldViolation } from "@appserver/kernel";

/** What an error may say on a transport. */
export interface ErrorBounds {
  /** Length of one text, in UTF-16 units: messages quote what the caller sent. */
  readonly textLength: number;
  /** Number of violations that are listed; the last entry counts the rest. */
  readonly violations: number;
  /** Size of all listed violations and details together, in UTF-8 bytes. */
  readonly bytes: number;
}

/** An error cut to bounds. `details` still lists the violations. */
export interface BoundedError {
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly violations: readonly FieldViolation[];
}

/** What a message costs beside its texts, at most. */
const overheadBytes = 12;

/**
 * Cuts an error to what a transport can carry. Violations beyond the bounds are replaced by their count; a detail that is too
 * large is cut if it is a text, and left out if it is not.
 */
export function boundedError(error: AppError, bounds: ErrorBounds): BoundedError {
  const cut = (text: string): string => cutText(text, bounds.textLength);
  let left = bounds.bytes;
  const fits = (name: string, value: unknown): boolean => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const size = Buffer.byteLength(name) + Buffer.byteLength(text) + overheadBytes;
    if (size > left) return false;
    left -= size;
    return true;
  };
  const facts: Record<string, unknown> = {};
  for (const [name, fact] of Object.entries(error.details)) {
    const value = typeof fact === "string" ? cut(fact) : fact;
    if (name !== "violations" && fits(name, value)) facts[name] = value;
  }
  const listed: FieldViolation[] = [];
  for (const { field, message } of error.violations) {
    const violation = { field: cut(field), message: cut(message) };
    if (listed.length === bounds.violations || !fits(violation.field, violation.message)) break;
    listed.push(violation);
  }
  const rest = error.violations.length - listed.length;
  const violations = rest > 0 ? [...listed, { field: "", message: `and ${rest} more` }] : listed;
  const message = cut(error.message);
  return { message, violations, details: error.violations.length > 0 ? { ...facts, violations } : facts };
}

/** Cuts between characters, never inside of one. */
function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}… (${text.length} characters)`;
}
