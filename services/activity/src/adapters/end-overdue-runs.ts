import type { Outcome } from "../domain/run-outcome.ts";
import type { Assignment } from "../ports.ts";
import { type ChangeParts, changeBy, changingRuns } from "./change-runs.ts";
import { channels, notify } from "./channels.ts";
import { lockedRuns } from "./run-rows.ts";

/** Maximum rows of one pass of the periodic work. */
export const passSize = 200;

/**
 * Ends running attempts whose lease, timeout or cancel period is over. An attempt is TIMED_OUT only if its worker's stream is
 * open to this replica. Without a stream it is unknown whether a worker had that time, so the lease decides. Returns
 * the number of ended attempts.
 */
export function endOverdueRuns(parts: ChangeParts, connected: readonly Assignment[]): Promise<number> {
  return changingRuns(parts, async (tx, change) => {
    const { rows } = await tx.query<{ reason: Outcome["kind"] }>(
      `select ${lockedRuns.selected}, case when deadline_at < clock_timestamp() and (id, attempt) in (${here}) then 'timed_out'
         when cancel_until < clock_timestamp() then 'canceled' else 'crashed' end as reason
       from activity.runs
       where status = 'RUNNING' and (least(lease_until, cancel_until) < clock_timestamp()
         or (deadline_at < clock_timestamp() and (id, attempt) in (${here})))
       order by id limit ${passSize} for update skip locked`,
      [connected.map(({ runId }) => runId), connected.map(({ attempt }) => attempt)],
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

const here = "select connected.id, connected.attempt from unnest($1::uuid[], $2::int[]) as connected (id, attempt)";
