import type { AppError, FieldViolation } from "@appserver/kernel";

/** Limits for an error on a transport. */
export interface ErrorBounds {
  /** Maximum length of one text, in UTF-16 units: messages quote the caller's input. */
  readonly textLength: number;
  /** Number of violations that are listed. The last entry counts the rest. */
  readonly violations: number;
  /** Maximum size of all listed violations and details together, in UTF-8 bytes. */
  readonly bytes: number;
}

/** An error within the bounds. `details` still lists the violations. */
export interface BoundedError {
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly violations: readonly FieldViolation[];
}

/** Maximum size of an entry in addition to its texts. */
const overheadBytes = 12;

/**
 * Cuts an error to the size that a transport can carry. Violations beyond the bounds are replaced by their count. A detail that
 * is too large is cut if it is a text, and left out otherwise.
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

/** Cuts between characters, never inside a character. */
function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}… (${text.length} characters)`;
}
