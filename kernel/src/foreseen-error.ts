import { AppError } from "./app-error.ts";
import { DatabaseError } from "./platform-ports/database.ts";

/**
 * What callers are told of an error, whatever the transport: what was thrown on purpose as it is, and a database that is
 * away or too slow as SERVICE_UNAVAILABLE (design/reliability "killed mid-request"). Undefined for what nobody foresaw:
 * that is INTERNAL_ERROR, logged whole and shown bare.
 */
export function foreseenError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error.code === "INTERNAL_ERROR" ? undefined : error;
  if (!isDatabaseAway(error)) return undefined;
  return new AppError("SERVICE_UNAVAILABLE", "the platform's database does not answer; try again", { cause: error });
}

/** Whether another try, a little later, may find the database. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof DatabaseError && (error.reason === "unavailable" || error.reason === "timeout");
}
