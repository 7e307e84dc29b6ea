import type { Database } from "@appserver/kernel/ports";
import type { Outcome } from "../domain/run-outcome.ts";
import type { Assignment } from "../ports.ts";
import { type ChangeParts, changeBy, changingRuns } from "./change-runs.ts";
import { channels, notify } from "./channels.ts";
import { lockedRuns } from "./run-rows.ts";

/** Maximum rows of one pass of the periodic work. */
export const passSize = 200;

const here = "select connected.id, connected.attempt from unnest($1::uuid[], $2::int[]) as connected (id, attempt)";

/** Of the statements below: the connected runs are $1 and $2. */
const isOverdue = `status = 'RUNNING' and (least(lease_until, cancel_until) < clock_timestamp()
  or (deadline_at < clock_timestamp() and (id, attempt) in (${here})))`;

/**
 * Returns running attempts whose lease, timeout or cancel period is over. An attempt is TIMED_OUT only if its worker's stream is
 * open to this replica. Without a stream it is unknown whether a worker had that time, so the lease decides.
 */
export async function overdueRuns(
  database: Database,
  connected: readonly Assignment[],
  except: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select id from activity.runs where ${isOverdue} and id <> all ($3) order by id limit ${passSize}`,
    [...assigned(connected), except],
  );
  return rows.map(({ id }) => id);
}

/** Ends these attempts, except those that are not overdue any more or that another process ends. Returns their number. */
export function endOverdueRuns(
  parts: ChangeParts,
  connected: readonly Assignment[],
  runIds: readonly string[],
): Promise<number> {
  return changingRuns(parts, async (tx, change) => {
    const { rows } = await tx.query<{ reason: Outcome["kind"] }>(
      `select ${lockedRuns.selected}, case when deadline_at < clock_timestamp() and (id, attempt) in (${here}) then 'timed_out'
         when cancel_until < clock_timestamp() then 'canceled' else 'crashed' end as reason
       from activity.runs where id = any ($3) and ${isOverdue} order by id for update skip locked`,
      [...assigned(connected), runIds],
    );
    const changes = rows.map((row) => changeBy({ kind: row.reason } as Outcome, lockedRuns.record(row)));
    await change(changes);
    // Their workers may still be running.
    await notify(
      tx,
      channels.cancel,
      changes.map(({ run }) => run.id),
    );
    return changes.length;
  });
}

function assigned(connected: readonly Assignment[]): readonly [readonly string[], readonly number[]] {
  return [connected.map(({ runId }) => runId), connected.map(({ attempt }) => attempt)];
}
