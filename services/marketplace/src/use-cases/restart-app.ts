import { AppError, actorOf, auditEntry, type Call, isAppError, requirePermission } from "@appserver/kernel";
import type { AppRecord, OperationRecord, Problem } from "../domain/app.ts";
import { type MarketplaceContext, problemOf, requireApp, unknownApp } from "./context.ts";
import { finishOperation } from "./install-app.ts";
import { newOperation } from "./new-operation.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { requireEnabled, requireInstalled, requireNotSwitching } from "./require-installed.ts";

/**
 * Requests a new container of the same version. Resolves when the request is stored: the orchestrator carries it out, and the
 * state of the app follows its container.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE for an app without a container, a disabled app and one that is not
 * installed, and CONFLICT while the app is switching to another release or another command works on it.
 */
export async function restartApp(
  context: MarketplaceContext,
  { name }: { readonly name: string },
  call: Call,
): Promise<AppRecord> {
  await requirePermission(context.permissions, call, "app:install");
  return context.lock.run(name, async () => {
    const { app, operation } = await onCurrentApp(() => recordRestart(context, name, call));
    return completeRestart(context, app, operation);
  });
}

/** Finishes an interrupted restart, under the app's lock. */
export async function resumeRestart(context: MarketplaceContext, name: string, { id }: OperationRecord): Promise<void> {
  const [app, found] = [await context.store.findByName(name), await context.store.operationById(id)];
  if (app && found && !found.operation.done) await completeRestart(context, app, found.operation);
}

/** May be repeated. A repetition may restart the app a second time. */
async function completeRestart(
  context: MarketplaceContext,
  { id, name }: AppRecord,
  operation: OperationRecord,
): Promise<AppRecord> {
  const end = (problem?: Problem): Promise<AppRecord> =>
    onCurrentApp(async () => {
      const app = await context.store.findById(id);
      if (!app) throw unknownApp(name);
      const finished = finishOperation(context, operation, problem);
      return context.store.save({ app, expectedRowVersion: app.rowVersion, events: [], operation: finished });
    });
  try {
    await context.deployments.restart(name);
  } catch (error) {
    // After any other error, for example of the database, the request is repeated.
    if (isAppError(error)) await end(problemOf(error));
    throw error;
  }
  return end();
}

interface RunningRestart {
  readonly app: AppRecord;
  readonly operation: OperationRecord;
}

/** Stored before the request, so that no restart lacks its audit entry, and an interrupted one is finished. */
async function recordRestart(context: MarketplaceContext, name: string, call: Call): Promise<RunningRestart> {
  const { app, placement } = await requireApp(context, name);
  requireInstalled(app, "restart");
  requireEnabled(app, "restart");
  requireNotSwitching(app);
  const hasContainer = placement.needsContainer && (await context.deployments.find(app.id)) !== undefined;
  if (!hasContainer) throw new AppError("INVALID_STATE", `${name} has no container to restart`, { details: { app: name } });
  const operation = newOperation(context, {
    kind: "restart",
    version: app.version,
    actor: actorOf(call.caller),
    stage: "restart",
  });
  const saved = await context.store.save({
    app,
    expectedRowVersion: app.rowVersion,
    events: [],
    operation,
    audit: auditEntry(call, {
      action: "app.restart",
      target: `app:${name}`,
      details: { version: app.version, generation: app.generation },
    }),
  });
  return { app: saved, operation };
}
