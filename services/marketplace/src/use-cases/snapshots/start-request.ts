import { isAppError } from "@appserver/kernel";
import type { OperationRecord } from "../../domain/app.ts";
import type { MarketplaceContext } from "../context.ts";
import { finishOperation } from "../operation.ts";
import { problemOf } from "../problem-of.ts";

/** Sends the request that a stored operation waits for. A refused one ends the operation. */
export async function startRequest(
  context: MarketplaceContext,
  operation: OperationRecord,
  request: () => Promise<void>,
): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (isAppError(error)) await context.store.updateOperation(finishOperation(context, operation, problemOf(error)));
    throw error;
  }
}

/** Ends the operation of a snapshot or of a restore once an orchestrator has carried it out. */
export async function endRequest(context: MarketplaceContext, operation: OperationRecord): Promise<void> {
  const { id, kind } = operation;
  const found = kind === "create_snapshot" ? await context.snapshots.get(id) : await context.snapshots.getRestore(id);
  if (found?.state === "PENDING" || found?.state === "RUNNING") return;
  const message = found ? found.error : "the request was interrupted; send it again";
  const problem = found?.state === "COMPLETED" ? undefined : { code: "SERVICE_UNAVAILABLE", message: message ?? "it failed" };
  await context.store.updateOperation(finishOperation(context, operation, problem));
}
