import { deleteInSteps } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";

/** Deletes dead letters that are older than this. Nothing if the database is not the broker. Returns how many. */
export async function pruneDeadLetters(database: Database, olderThanMs: number, signal?: AbortSignal): Promise<number> {
  const { rows } = await database.query<{ exists: boolean }>("select to_regclass('broker.dead_letters') is not null as exists");
  if (!rows[0]?.exists) return 0;
  const condition = "old.at < now() - $1::interval";
  return deleteInSteps(database, { table: "broker.dead_letters", key: "id", condition, olderThanMs }, signal);
}
