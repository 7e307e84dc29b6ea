import { deleteInSteps } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";

const keptMs = 90 * 86_400_000;

/** Deletes incidents that have been over for 90 days. Returns how many. */
export function pruneIncidents(database: Database, signal?: AbortSignal): Promise<number> {
  const condition = "old.closed_at < now() - $1::interval";
  return deleteInSteps(database, { table: "incidents.incidents", key: "id", condition, olderThanMs: keptMs }, signal);
}
