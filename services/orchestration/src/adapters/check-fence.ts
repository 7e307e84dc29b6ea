import { AppError } from "@appserver/kernel";
import type { Transaction } from "@appserver/kernel/ports";
import type { Writer } from "../ports.ts";

/** Throws CONFLICT if a writer with a newer lease has written. Locks the app's row until the transaction ends. */
export async function checkFence(tx: Transaction, { appName, fence }: Writer): Promise<void> {
  const { count } = await tx.query(
    `insert into orchestration.fences as seen (app_name, fence) values ($1, $2)
     on conflict (app_name) do update set fence = excluded.fence where seen.fence <= excluded.fence`,
    [appName, fence],
  );
  if (count === 0) throw new AppError("CONFLICT", `another orchestrator has taken over ${appName}`);
}
