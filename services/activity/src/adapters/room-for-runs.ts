import type { Transaction } from "@appserver/kernel/ports";
import type { ClaimRequest } from "../ports.ts";

/**
 * Returns how many more runs may start now. Claims of one activity with a limit, or of one singleton key, wait for each other's
 * commit.
 */
export async function roomFor(tx: Transaction, { appName, definition, limit }: ClaimRequest): Promise<number> {
  const { name, concurrency, singletonKey } = definition;
  let room = limit;
  const running = async (lock: string, condition: string, value: string): Promise<number> => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [lock]);
    const { rows } = await tx.query<{ count: number }>(
      `select count(*)::int as count from activity.runs where status = 'RUNNING' and app_name = $1 and ${condition} = $2`,
      [appName, value],
    );
    return rows[0]?.count ?? 0;
  };
  if (singletonKey !== undefined)
    room = Math.min(room, 1 - (await running(`activity:${appName}#${singletonKey}`, "singleton_key", singletonKey)));
  if (concurrency !== undefined)
    room = Math.min(room, concurrency - (await running(`activity:${appName}/${name}`, "activity", name)));
  return room;
}
