import { AppError } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";

const outages: ReadonlySet<DatabaseError["reason"]> = new Set(["unavailable", "timeout", "serialization_failure"]);

/** Returns SERVICE_UNAVAILABLE for an outage of the database, and any other error as it is. */
export function outageOf(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || !outages.has(error.reason)) return error;
  return new AppError("SERVICE_UNAVAILABLE", "accounts cannot be read at the moment", { cause: error, dependency: "identity" });
}
