import type { SqlExecutor } from "@appserver/kernel/ports";
import type { ScheduleMoment } from "../ports.ts";

/**
 * Moves an active schedule from this time to its next one, and locks it until the transaction ends. Returns false if it is no
 * longer active or was moved: a schedule that is read as due may be paused or resumed before its run is queued.
 */
export async function advanceSchedule(sql: SqlExecutor, schedule: ScheduleMoment, nextRunAt: Date): Promise<boolean> {
  const { count } = await sql.query(
    `update activity.schedules set next_run_at = $3, failures = 0, last_error = null
     where id = $1 and next_run_at = $2 and enabled and not paused`,
    [schedule.id, schedule.nextRunAt, nextRunAt],
  );
  return count > 0;
}
