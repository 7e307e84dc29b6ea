import { recordKeyedWork } from "@appserver/kernel";
import type { AuditLog, AuditRecord, Database, Transaction } from "@appserver/kernel/ports";
import type { DeadRange } from "../ports.ts";
import { type GroupedRow, groupsOf, lockGroups, moveOn } from "./ordering-groups.ts";
import { hooksChannel } from "./store-triggers.ts";

export interface ReplayParts {
  readonly database: Database;
  readonly audit: AuditLog;
}

interface ReplayedRow extends GroupedRow {
  id: number;
}

/** Maximum rows made due in one step: the range of a long outage may be large. */
const stepRows = 1_000;

/** Makes a finished delivery due again, with all its retries. Returns false if it is unfinished or missing. */
export function resendDelivery({ database, audit }: ReplayParts, id: string, entry: AuditRecord | undefined): Promise<boolean> {
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<ReplayedRow>(
      "select id, app_name, ordering_group from hooks.deliveries where id = $1 and due_at is null for update",
      [id],
    );
    if (rows.length > 0) await recordKeyedWork(tx, { deliveryId: id });
    await replay(tx, rows);
    if (entry && rows.length > 0) await audit.record(tx, entry);
    return rows.length > 0;
  });
}

/**
 * Does the same for every DEAD delivery of the hook whose event was triggered from `since` up to `until`. Returns their number.
 * Each step has its own audit entry, so an interrupted recovery has recorded the steps that it finished.
 */
export async function recoverDeliveries(
  { database, audit }: ReplayParts,
  { hookName, since, until }: DeadRange,
  auditOf: (recovered: number) => AuditRecord | undefined,
): Promise<number> {
  let recovered = 0;
  for (let step = stepRows; step === stepRows; recovered += step) {
    step = await database.transaction(async (tx) => {
      const { rows } = await tx.query<ReplayedRow>(
        `select delivery.id, delivery.app_name, delivery.ordering_group from hooks.deliveries as delivery
         join hooks.events as event on event.id = delivery.event_id
         where delivery.hook_name = $1 and delivery.status = 'DEAD' and event.triggered_at >= $2 and event.triggered_at < $3
         order by delivery.id limit ${stepRows} for update of delivery skip locked`,
        [hookName, since, until],
      );
      await recordKeyedWork(tx, { recovered: recovered + rows.length });
      await replay(tx, rows);
      const entry = rows.length > 0 ? auditOf(rows.length) : undefined;
      if (entry) await audit.record(tx, entry);
      return rows.length;
    });
  }
  return recovered;
}

/** Appends deliveries with an ordering key to their ordering groups, oldest first, behind the delivery that is being sent there now. */
async function replay(tx: Transaction, rows: readonly ReplayedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const groups = groupsOf(rows);
  await lockGroups(tx, groups);
  await tx.query(
    `update hooks.deliveries set status = 'PENDING',
       due_at = case when ordering_group is null then now() else 'infinity' end, failures = 0, disconnects = 0, error = null,
       waits_fully = false, retry_at = null, updated_at = now()
     where id = any ($1::bigint[])`,
    [rows.map(({ id }) => id)],
  );
  await moveOn(tx, groups);
  await tx.query(`select pg_notify('${hooksChannel}', app_name) from unnest($1::text[]) as app_name`, [
    [...new Set(rows.map(({ app_name }) => app_name))],
  ]);
}
