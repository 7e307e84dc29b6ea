import { AppError, actorOf, auditEntry, type Call, requirePermission } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { type MarketplaceContext, requireApp } from "./context.ts";
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
  await requirePermission(context.permissions, call.caller, "app:install");
  return context.lock.run(name, async () => {
    const app = await onCurrentApp(() => recordRestart(context, name, call));
    await context.deployments.restart(name);
    return app;
  });
}

/** Stored before the request, so that no restart lacks its audit entry. */
async function recordRestart(context: MarketplaceContext, name: string, call: Call): Promise<AppRecord> {
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
  return context.store.save({
    app,
    expectedRowVersion: app.rowVersion,
    events: [],
    operation: finishOperation(context, operation, undefined),
    audit: auditEntry(call, {
      action: "app.restart",
      target: `app:${name}`,
      details: { version: app.version, generation: app.generation },
    }),
  });
}
