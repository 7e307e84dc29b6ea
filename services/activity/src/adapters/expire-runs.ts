import type { Database } from "@appserver/kernel/ports";
import type { ActivityTimes } from "../domain/limits.ts";
import { lockRuns } from "./assigned-runs.ts";
import { type ChangeParts, changeBy, changingRuns } from "./change-runs.ts";
import { passSize } from "./end-overdue-runs.ts";

/** Returns runs that no worker took for `waitMs`. */
export async function expiredRuns(
  { database, times }: { readonly database: Database; readonly times: ActivityTimes },
  except: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select id from activity.runs
     where status = 'QUEUED' and scheduled_for < clock_timestamp() - $1 * interval '1 ms' and id <> all ($2)
     order by id limit ${passSize}`,
    [times.waitMs, except],
  );
  return rows.map(({ id }) => id);
}

/** Ends these runs, except those that a worker has by now. Returns their number. */
export function expireRuns(parts: ChangeParts, runIds: readonly string[]): Promise<number> {
  return changingRuns(parts, async (tx, change) => {
    const current = await lockRuns(tx, runIds);
    const waiting = [...current.values()].filter(({ status }) => status === "QUEUED");
    const changes = waiting.map((run) => changeBy({ kind: "expired" }, run));
    await change(changes);
    return changes.length;
  });
}
