import { AppError } from "./app-error.ts";
import { DatabaseError } from "./platform-ports/database.ts";

/**
 * Returns the error that callers see on every transport. An AppError stays as it is. A database that cannot be reached or is
 * too slow is SERVICE_UNAVAILABLE (docs/interface/errors.md#codes). Returns undefined for an unforeseen error: that is
 * INTERNAL_ERROR, logged in full and sent without details.
 */
export function foreseenError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error.code === "INTERNAL_ERROR" ? undefined : error;
  if (!isDatabaseAway(error)) return undefined;
  return new AppError("SERVICE_UNAVAILABLE", "the platform's database does not respond; retry later", { cause: error });
}

/** Whether the database may be available again after a short delay, so that a retry makes sense. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof DatabaseError && (error.reason === "unavailable" || error.reason === "timeout");
}
