import { deleteInSteps } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";

/** Transitions of an app that stay, however old they are: its state is explained by the newest. */
const keptOfApp = 20;

/** Deletes transitions of apps that are older than this. Returns how many. */
export function pruneTransitions(database: Database, olderThanMs: number, signal?: AbortSignal): Promise<number> {
  const condition = `old.at < now() - $1::interval and ${keptOfApp} = (select count(*) from (
    select from marketplace.transitions as newer where newer.app_id = old.app_id and newer.id > old.id limit ${keptOfApp}) as newest)`;
  return deleteInSteps(database, { table: "marketplace.transitions", key: "id", condition, olderThanMs }, signal);
}
