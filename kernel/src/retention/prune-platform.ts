import type { Database } from "../platform-ports/database.ts";
import { deleteInSteps } from "./delete-in-steps.ts";

/** Decisions are kept for five minutes, so that changes before that concern none. */
const changesMs = 86_400_000;

/** Deletes changes of permissions that concern no decision any more. Returns how many. */
export function prunePermissionChanges(database: Database, signal?: AbortSignal): Promise<number> {
  const condition = "old.changed_at < now() - $1::interval";
  const rows = { table: "platform.permission_changes", key: "subject", condition, olderThanMs: changesMs };
  return deleteInSteps(database, rows, signal);
}
