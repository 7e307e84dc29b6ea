import type { Clock } from "@appserver/kernel";
import type { ActivityTimes } from "../domain/limits.ts";
import { queueOf } from "../domain/run.ts";
import type { Outcome } from "../domain/run-outcome.ts";
import { type ChangeParts, changeBy, changingRuns, groupBy } from "./change-runs.ts";
import { channels, notify } from "./channels.ts";
import { lockRuns } from "./held-runs.ts";
import { type RunRow, runColumns, toRun } from "./run-rows.ts";

export interface OverdueParts extends ChangeParts {
  readonly clock: Clock;
  readonly times: ActivityTimes;
}

/** Rows that one pass of the periodic work takes. */
const passSize = 200;

/** Ends running runs past their lease, deadline or cancel, and those that waited too long. Answers how many. */
export async function endOverdueRuns(parts: OverdueParts): Promise<number> {
  const ended = await endRunning(parts);
  return ended + (await endWaiting(parts));
}

function endRunning(parts: OverdueParts): Promise<number> {
  return changingRuns(parts, async (tx, change) => {
    const { rows } = await tx.query<RunRow & { reason: Outcome["kind"] }>(
      `SELECT ${runColumns}, CASE WHEN deadline_at < clock_timestamp() THEN 'timed_out'
         WHEN cancel_until < clock_timestamp() THEN 'canceled' ELSE 'crashed' END AS reason
       FROM activity.runs
       WHERE status = 'RUNNING' AND least(lease_until, deadline_at, cancel_until) < clock_timestamp()
       ORDER BY id LIMIT ${passSize} FOR UPDATE SKIP LOCKED`,
    );
    const changes = rows.map((row) => changeBy({ kind: row.reason } as Outcome, toRun(row), parts.clock));
    await change(changes);
    // Their workers may be at it still.
    await notify(
      tx,
      channels.cancel,
      changes.map(({ run }) => run.id),
    );
    return changes.length;
  });
}

async function endWaiting(parts: OverdueParts): Promise<number> {
  const { rows } = await parts.database.query<RunRow>(
    `SELECT ${runColumns} FROM activity.runs
     WHERE status = 'QUEUED' AND scheduled_for < clock_timestamp() - $1 * interval '1 ms' ORDER BY id LIMIT ${passSize}`,
    [parts.times.waitMs],
  );
  if (rows.length === 0) return 0;
  return changingRuns(parts, async (tx, change) => {
    for (const [name, group] of groupBy(rows.map(toRun), queueOf)) {
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
    const changes = waiting.map((run) => changeBy({ kind: "expired" }, run, parts.clock));
    await change(changes);
    return changes.length;
  });
}
