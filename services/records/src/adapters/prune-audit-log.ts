import { deleteInSteps } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";

/** Deletes audit entries that are older than this. Returns how many. */
export function pruneAuditLog(database: Database, olderThanMs: number, signal?: AbortSignal): Promise<number> {
  const condition = "old.at < now() - $1::interval";
  return deleteInSteps(database, { table: "platform.audit_log", key: "id", condition, olderThanMs }, signal);
}
