import { quote } from "@appserver/contracts/patterns";
import { AppError, type Call, requireBoundTo, SharedPoll } from "@appserver/kernel";
import type { AppRecord, OperationRecord } from "../domain/app.ts";
import { operationDuring } from "../domain/operation-progress.ts";
import type { OperationReads } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";
import { requireView } from "./read-apps.ts";

type OperationSources = Pick<MarketplaceContext, "store" | "deployments">;

/** Returns the running operation of an app, or its last one, with the progress of its deployment. */
export async function readOperation(context: MarketplaceContext, app: AppRecord): Promise<OperationRecord | undefined> {
  const operation = await context.store.operation(app.id);
  return operation && (await withProgress(context, app, operation));
}

/** Returns an operation; undefined if there is none with this id. Needs `app:view`. Bound callers read those of their apps only. */
export async function readOperationById(
  context: MarketplaceContext,
  id: string,
  call: Call,
): Promise<OperationRecord | undefined> {
  await requireView(context, call);
  const found = await findOperation(context, id);
  if (found) requireBoundTo(call.caller, found.appName);
  return found;
}

/** How often a watched operation is read. */
const watchEveryMs = 500;

/** Returns the reads of watched operations, which all watchers in this process share. */
export function operationReads(deps: OperationSources & Pick<MarketplaceContext, "clock">): OperationReads {
  return new SharedPoll({ clock: deps.clock, intervalMs: watchEveryMs, read: (id) => findOperation(deps, id) });
}

/**
 * Yields the operation now and after each change, until it is done or the call ends. Needs `app:view`. Throws NOT_FOUND for an
 * unknown id, and PERMISSION_DENIED for an operation of another app than those of a bound caller.
 */
export async function* watchOperation(context: MarketplaceContext, id: string, call: Call): AsyncGenerator<OperationRecord> {
  await requireView(context, call);
  let last: OperationRecord | undefined;
  for await (const view of context.operationReads.watch(id, call.signal)) {
    if (!view) throw new AppError("NOT_FOUND", `there is no operation ${quote(id)}`, { details: { operation: id } });
    requireBoundTo(call.caller, view.appName);
    if (!last || seenOf(view) !== seenOf(last)) yield view;
    if (view.done) return;
    last = view;
  }
}

function seenOf({ stage, progress, done, reason }: OperationRecord): string {
  return JSON.stringify([stage, progress, done, reason]);
}

/** Returns an operation, with the progress of its deployment. Checks no permissions. */
export async function findOperation(context: OperationSources, id: string): Promise<OperationRecord | undefined> {
  const stored = await context.store.operationById(id);
  if (!stored || stored.done) return stored;
  const app = await context.store.findByName(stored.appName);
  return app ? withProgress(context, app, stored) : stored;
}

/** Adds how far the deployment of a running operation is. */
async function withProgress(
  { deployments }: OperationSources,
  app: AppRecord,
  operation: OperationRecord,
): Promise<OperationRecord> {
  if (operation.done || operation.stage !== "deploy") return operation;
  const generation = app.target?.operationId === operation.id ? app.target.generation : app.generation;
  const deployment = await deployments.find(app.id, generation);
  return deployment?.generation === generation ? operationDuring(operation, deployment) : operation;
}
