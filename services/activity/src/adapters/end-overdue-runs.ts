import type { Outcome } from "../domain/run-outcome.ts";
import type { Assignment } from "../ports.ts";
import { type ChangeParts, changeBy, changingRuns } from "./change-runs.ts";
import { channels, notify } from "./channels.ts";
import { type LockedRow, lockedColumns, toLockedRun } from "./held-runs.ts";

/** Maximum rows of one pass of the periodic work. */
export const passSize = 200;

/**
 * Ends running attempts whose lease, timeout or cancel period is over. An attempt is TIMED_OUT only if its worker's stream is
 * open to this replica. Without a stream the platform cannot tell whether a worker had that time, so the lease decides. Returns
 * the number of ended attempts.
 */
export function endOverdueRuns(parts: ChangeParts, connected: readonly Assignment[]): Promise<number> {
  return changingRuns(parts, async (tx, change) => {
    const { rows } = await tx.query<LockedRow & { reason: Outcome["kind"] }>(
      `SELECT ${lockedColumns}, CASE WHEN deadline_at < clock_timestamp() AND (id, attempt) IN (${here}) THEN 'timed_out'
         WHEN cancel_until < clock_timestamp() THEN 'canceled' ELSE 'crashed' END AS reason
       FROM activity.runs
       WHERE status = 'RUNNING' AND (least(lease_until, cancel_until) < clock_timestamp()
         OR (deadline_at < clock_timestamp() AND (id, attempt) IN (${here})))
       ORDER BY id LIMIT ${passSize} FOR UPDATE SKIP LOCKED`,
      [connected.map(({ runId }) => runId), connected.map(({ attempt }) => attempt)],
    );
    const changes = rows.map((row) => changeBy({ kind: row.reason } as Outcome, toLockedRun(row)));
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

const here = "SELECT held.id, held.attempt FROM unnest($1::uuid[], $2::int[]) AS held (id, attempt)";
