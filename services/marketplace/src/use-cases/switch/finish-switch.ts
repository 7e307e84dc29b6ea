import type { AppRecord, OperationRecord, SwitchTarget } from "../../domain/app.ts";
import type { MarketplaceContext } from "../context.ts";
import { liveOf } from "../find-app.ts";
import { grantPermissions } from "../grant-permissions.ts";
import { type CommandResult, finishOperation, newOperation } from "../operation.ts";

/**
 * Finishes a committed switch: grants exactly the approved permissions of the release that serves, and prepares the services. The
 * operation ends with the error that it has. Idempotent: it is repeated until the operation is done.
 */
export async function finishSwitch(
  context: MarketplaceContext,
  app: AppRecord,
  operation: OperationRecord,
): Promise<CommandResult> {
  const live = await liveOf(context, app);
  if (live && live.app.target === undefined) {
    await grantPermissions(context, live.app, live.manifest);
    for (const participant of context.participants) await participant.prepare?.(live);
  }
  const finished = finishOperation(context, operation, operation.error);
  await context.store.updateOperation(finished);
  return { app: live?.app ?? app, operation: finished };
}

/** Returns the stored operation of a switch. */
export async function operationOf(
  context: MarketplaceContext,
  { kind, operationId, version, actor }: SwitchTarget,
  app: AppRecord,
): Promise<OperationRecord> {
  const stored = await context.store.operationById(operationId);
  const begun = { id: operationId, kind, actor, stage: "resumed", startedAt: app.updatedAt };
  return stored ?? newOperation(context, { name: app.name, version }, begun);
}
