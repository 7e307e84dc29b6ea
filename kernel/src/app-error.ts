import type { ErrorCode } from "@appserver/contracts/errors";

/** One broken rule of an input: where (`web_app.assets[2].sha256`) and what was wrong and expected. */
export interface FieldViolation {
  readonly field: string;
  readonly message: string;
}

/** A system that the platform depends on, for log lines. */
export type Dependency = "authorization" | "broker" | "database" | "identity";

export interface AppErrorOptions {
  /** Facts for the caller, safe to send. Never secrets, never stack traces. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** All broken rules, when the code is INVALID_REQUEST. */
  readonly violations?: readonly FieldViolation[];
  /** The underlying error. It is logged and never sent. */
  readonly cause?: unknown;
  /** The system whose outage caused the error. Never sent. A DatabaseError as the cause says the same of the database. */
  readonly dependency?: Dependency;
}

/** The only error that domain and use cases throw on purpose. It is independent of transports; each listener maps it once. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly violations: readonly FieldViolation[];
  readonly dependency: Dependency | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.dependency = options.dependency;
    this.violations = options.violations ?? [];
    this.details = options.violations ? { ...options.details, violations: options.violations } : (options.details ?? {});
  }
}

/**
 * Returns INVALID_REQUEST about one field. `message` continues the sentence after the field's name: `must be 1 to 250, got 0`.
 */
export function invalidField(field: string, message: string, cause?: unknown): AppError {
  return new AppError("INVALID_REQUEST", `${field} ${message}`, { violations: [{ field, message }], cause });
}

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
