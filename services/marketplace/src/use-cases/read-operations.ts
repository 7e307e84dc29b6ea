import { quote } from "@appserver/contracts/patterns";
import { AppError, type Call } from "@appserver/kernel";
import type { AppRecord, OperationRecord } from "../domain/app.ts";
import { operationDuring } from "../domain/operation-progress.ts";
import type { MarketplaceContext } from "./context.ts";
import { requireView } from "./read-apps.ts";

export interface OperationView {
  readonly appName: string;
  readonly operation: OperationRecord;
}

/** Returns the running operation of an app, or its last one, with the progress of its deployment. */
export async function readOperation(context: MarketplaceContext, app: AppRecord): Promise<OperationView | undefined> {
  const operation = await context.store.operation(app.id);
  return operation && { appName: app.name, operation: await withProgress(context, app, operation) };
}

/** Returns an operation; undefined if there is none with this id. Needs `app:view`. */
export async function readOperationById(
  context: MarketplaceContext,
  id: string,
  call: Call,
): Promise<OperationView | undefined> {
  await requireView(context, call);
  return find(context, id);
}

/** How often a watched operation is read. */
const watchEveryMs = 500;

/**
 * Yields the operation now and after each change, until it is done or the call ends. Needs `app:view`. Throws NOT_FOUND for an
 * unknown id.
 */
export async function* watchOperation(context: MarketplaceContext, id: string, call: Call): AsyncGenerator<OperationView> {
  await requireView(context, call);
  let last: string | undefined;
  while (!call.signal.aborted) {
    const view = await find(context, id);
    if (!view) throw new AppError("NOT_FOUND", `there is no operation ${quote(id)}`, { details: { operation: id } });
    const { stage, progress, done } = view.operation;
    const seen = JSON.stringify([stage, progress, done]);
    if (seen !== last) yield view;
    if (done) return;
    last = seen;
    await context.clock.sleep(watchEveryMs, call.signal).catch(() => {});
  }
}

async function find(context: MarketplaceContext, id: string): Promise<OperationView | undefined> {
  const stored = await context.store.operationById(id);
  if (!stored || stored.operation.done) return stored;
  const app = await context.store.findByName(stored.appName);
  return app ? { ...stored, operation: await withProgress(context, app, stored.operation) } : stored;
}

/** Adds how far the deployment of a running operation is. */
async function withProgress(
  { deployments }: MarketplaceContext,
  app: AppRecord,
  operation: OperationRecord,
): Promise<OperationRecord> {
  if (operation.done || operation.stage !== "deploy") return operation;
  const generation = app.target?.operationId === operation.id ? app.target.generation : app.generation;
  const deployment = await deployments.find(app.id, generation);
  return deployment?.generation === generation ? operationDuring(operation, deployment) : operation;
}
