import { AppError, auditEntry, type Call, initiatorOf, requirePermission } from "@appserver/kernel";
import type { AppRecord, OperationRecord } from "../domain/app.ts";
import { shouldRun } from "../domain/app-state.ts";
import type { MarketplaceContext } from "./context.ts";
import { earlierResult } from "./earlier-result.ts";
import { requireApp } from "./find-app.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { type CommandResult, newOperation, runRequest } from "./operation.ts";
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
): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "app:install");
  const earlier = await earlierResult(context, name);
  if (earlier) return earlier;
  return context.lock.run(name, async () => {
    const { app, operation } = await onCurrentApp(() => recordRestart(context, name, call));
    return completeRestart(context, app, operation);
  });
}

/** Requests the restart, under the app's lock. May be repeated. A repetition may restart the app a second time. */
export async function completeRestart(
  context: MarketplaceContext,
  app: AppRecord,
  operation: OperationRecord,
): Promise<CommandResult> {
  return { app, operation: await runRequest(context, operation, () => context.deployments.restart(app.name)) };
}

/** Stored before the request, so that no restart lacks its audit entry, and an interrupted one is finished. */
async function recordRestart(context: MarketplaceContext, name: string, call: Call): Promise<CommandResult> {
  const { app, placement } = await requireApp(context, name);
  // Also one that the orchestrator gave up: that is what a restart is for.
  if (!shouldRun(app)) requireInstalled(app, "restart");
  requireEnabled(app, "restart");
  requireNotSwitching(app);
  const hasContainer = placement.needsContainer && (await context.deployments.find(app.id)) !== undefined;
  if (!hasContainer) throw new AppError("INVALID_STATE", `${name} has no container to restart`, { details: { app: name } });
  const operation = newOperation(context, app, { kind: "restart", ...initiatorOf(call.caller), stage: "restart" });
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
