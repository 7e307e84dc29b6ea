import { AppError } from "./app-error.ts";
import { DatabaseError, type ExhaustedResource } from "./platform-ports/database.ts";

/** What callers read, with the `reason` among the details (docs/interface/errors.md#details). */
const exhaustions: Readonly<Record<ExhaustedResource, readonly [reason: string, message: string]>> = {
  disk: ["database_disk_full", "the disk of the platform's database is full"],
  locks: ["database_out_of_locks", "the platform's database is out of locks"],
  notifications: ["database_notifications_full", "the notification queue of the platform's database is full"],
  connections: ["database_out_of_connections", "the platform's database accepts no more connections"],
};

/**
 * Returns the error that callers see on every transport. An AppError stays as it is. A database that cannot be reached or is
 * too slow is SERVICE_UNAVAILABLE (docs/interface/errors.md#codes). Returns undefined for an unexpected error: that is
 * INTERNAL_ERROR, logged in full and sent without details.
 */
export function expectedError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error.code === "INTERNAL_ERROR" ? undefined : error;
  if (!isDatabaseUnavailable(error)) return undefined;
  const { exhausted } = error as DatabaseError;
  if (exhausted) {
    const [reason, message] = exhaustions[exhausted];
    return new AppError("SERVICE_UNAVAILABLE", `${message}; retry later`, { details: { reason }, cause: error });
  }
  return new AppError("SERVICE_UNAVAILABLE", "the platform's database does not respond; retry later", { cause: error });
}

/** Whether the database may be available again after a short delay, so that a retry makes sense. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof DatabaseError && (error.reason === "unavailable" || error.reason === "timeout");
}
