import { AppError } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";

/** Returns SERVICE_UNAVAILABLE for a failure of the database, and any other error as it is. */
export function outageOf(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return new AppError("SERVICE_UNAVAILABLE", "accounts cannot be read at the moment", { cause: error, dependency: "identity" });
}
