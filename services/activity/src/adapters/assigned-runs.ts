import type { Transaction } from "@appserver/kernel/ports";
import type { Assignment, AssignmentState } from "../ports.ts";
import { type LockedRun, lockedRuns } from "./run-rows.ts";

/**
 * Locks the existing runs and returns them by id. Locks are taken in the order of ids, so that two transactions never deadlock.
 */
export async function lockRuns(tx: Transaction, ids: readonly string[]): Promise<Map<string, LockedRun>> {
  const { rows } = await tx.query<{ id: string }>(
    `select ${lockedRuns.selected} from activity.runs where id = any($1) order by id for update`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, lockedRuns.record(row)]));
}

/** Locks the runs of these assignments, and returns those whose attempt still runs. */
export async function lockAssigned(tx: Transaction, assignments: readonly Assignment[]): Promise<readonly LockedRun[]> {
  const attempts = new Map(assignments.map(({ runId, attempt }) => [runId, attempt]));
  const runs = await lockRuns(tx, [...attempts.keys()]);
  return [...runs.values()].filter((run) => run.status === "RUNNING" && run.attempt === attempts.get(run.id));
}

/** Changes runs that are still assigned as given. `$1` to `$3` name them; `values` start at `$4`. */
export async function touch(
  sql: Pick<Transaction, "query">,
  assignments: readonly Assignment[],
  assignmentsSql: string,
  values: readonly unknown[],
): Promise<readonly AssignmentState[]> {
  const { rows } = await sql.query<{ id: string; attempt: number; cancel_requested: boolean }>(
    `with assigned as (
       select r.id, given.position from unnest($1::uuid[], $2::int[], $3::text[])
         with ordinality as given (id, attempt, app_name, position)
       join activity.runs r on r.id = given.id
       where r.attempt = given.attempt and r.app_name = given.app_name and r.status = 'RUNNING'
       order by r.id for update of r
     )
     update activity.runs r set ${assignmentsSql} from assigned where r.id = assigned.id
     returning r.id, r.attempt, r.cancel_requested`,
    [
      assignments.map(({ runId }) => runId),
      assignments.map(({ attempt }) => attempt),
      assignments.map(({ appName }) => appName),
      ...values,
    ],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return assignments.map(({ runId, attempt }) => {
    const row = found.get(runId);
    if (row?.attempt !== attempt) return "lost";
    return row.cancel_requested ? "cancel_requested" : "assigned";
  });
}
