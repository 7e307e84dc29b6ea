import type { ActivityTimes } from "../domain/limits.ts";
import { queueOf } from "../domain/run.ts";
import { lockRuns } from "./assigned-runs.ts";
import { type ChangeParts, changeBy, changingRuns, groupBy } from "./change-runs.ts";
import { passSize } from "./end-overdue-runs.ts";

/** Ends runs that no worker took for `waitMs`. Returns their number. */
export async function expireRuns(parts: ChangeParts & { readonly times: ActivityTimes }): Promise<number> {
  const { rows } = await parts.database.query<{ id: string; app_name: string; activity: string }>(
    `select id, app_name, activity from activity.runs
     where status = 'QUEUED' and scheduled_for < clock_timestamp() - $1 * interval '1 ms' order by id limit ${passSize}`,
    [parts.times.waitMs],
  );
  if (rows.length === 0) return 0;
  return changingRuns(parts, async (tx, change) => {
    for (const [name, group] of groupBy(rows, ({ app_name, activity }) => queueOf({ appName: app_name, activity }))) {
      await parts.queue.remove(
        tx,
        name,
        group.map(({ id }) => id),
      );
    }
    const current = await lockRuns(
      tx,
      rows.map(({ id }) => id),
    );
    const waiting = [...current.values()].filter(({ status }) => status === "QUEUED");
    const changes = waiting.map((run) => changeBy({ kind: "expired" }, run));
    await change(changes);
    return changes.length;
  });
}
