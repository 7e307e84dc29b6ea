import type { Transaction } from "@appserver/kernel/ports";

/** Notifies servers of changed identities. The payload is the id of the app. */
export const identityChannel = "orchestration_identity";

/**
 * Deletes the identities of generations that have no deployment which runs, starts or will be tried again, and notifies the
 * servers when the transaction commits.
 */
export async function endIdentities(tx: Transaction, appId: string): Promise<void> {
  const { count } = await tx.query(
    `delete from orchestration.workload_identities ended where app_id = $1 and not exists (
       select 1 from orchestration.deployments d
       where d.app_id = ended.app_id and d.generation = ended.generation
         and d.role is not null and d.state <> 'STOPPED' and not (d.state = 'FAILED' and d.final))`,
    [appId],
  );
  if (count > 0) await announceIdentities(tx, appId);
}

/** Notifies the servers when the transaction commits. */
export async function announceIdentities(tx: Transaction, appId: string): Promise<void> {
  await tx.query("select pg_notify($1, $2)", [identityChannel, appId]);
}
