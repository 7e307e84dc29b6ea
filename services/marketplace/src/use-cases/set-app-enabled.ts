import { auditEntry, type Call, initiatorOf, isAppError, requirePermission } from "@appserver/kernel";
import { type AppRecord, noAddress, type OperationRecord } from "../domain/app.ts";
import { appEvent } from "../domain/app-events.ts";
import { isChecked, type LiveApp } from "../domain/live-app.ts";
import { applyDeployment } from "./apply-deployment.ts";
import type { MarketplaceContext } from "./context.ts";
import { earlierResult } from "./earlier-result.ts";
import { requireApp } from "./find-app.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { type CommandResult, endedOperation } from "./operation.ts";
import { requireInstalled, requireNotSwitching } from "./require-installed.ts";

export interface EnableRequest {
  readonly name: string;
  readonly enabled: boolean;
}

/**
 * Disables an installed app, or enables it again (docs/interface/states.md#disabled-apps). Its state stays. The orchestrator
 * stops and starts its container.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE unless the app is installed, and CONFLICT while it is switching to another
 * release or another command works on it.
 */
export async function setAppEnabled(context: MarketplaceContext, request: EnableRequest, call: Call): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "app:install");
  const earlier = await earlierResult(context, request.name);
  if (earlier) return earlier;
  const { name, enabled } = request;
  const kind = enabled ? "enable" : "disable";
  const stored = await context.lock.run(name, () =>
    onCurrentApp(async () => {
      const live = await requireApp(context, name);
      const { app } = live;
      requireInstalled(app, enabled ? "be enabled" : "be disabled");
      const operation = endedOperation(context, app, { kind, ...initiatorOf(call.caller) });
      if (app.enabled !== enabled) return { app: await store(context, live, operation, call), operation };
      await context.store.addOperation(app, operation);
      return { app, operation };
    }),
  );
  if (!enabled) return stored;
  // If the app was disabled a moment ago, its container may still run. Then no event of the container follows.
  await applyDeployment(context, name).catch((error: unknown) => {
    // The app is enabled. The command that works on it now reads the deployment, or the platform does later.
    if (!isAppError(error, "CONFLICT")) throw error;
  });
  return { ...stored, app: (await context.store.findByName(name)) ?? stored.app };
}

function store(
  context: MarketplaceContext,
  { app, ...live }: LiveApp,
  operation: OperationRecord,
  call: Call,
): Promise<AppRecord> {
  requireNotSwitching(app);
  const { kind, actor = null, startedAt } = operation;
  const enabled = kind === "enable";
  const next: AppRecord = {
    ...app,
    enabled,
    // Enabled apps without anything to check are healthy, as after an installation.
    health: enabled && !isChecked(live) ? "HEALTHY" : "UNKNOWN",
    ...noAddress,
    asleepSince: undefined,
    requestsBufferedSince: undefined,
    updatedAt: startedAt,
  };
  const type = enabled ? "app.enabled" : "app.disabled";
  return context.store.save({
    app: next,
    expectedRowVersion: app.rowVersion,
    events: [appEvent(type, next, startedAt, operation.actor, { actor })],
    operation,
    audit: auditEntry(call, { action: `app.${kind}`, target: `app:${app.name}`, details: { version: app.version } }),
  });
}
