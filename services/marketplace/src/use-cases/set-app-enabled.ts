import { actorOf, auditEntry, type Call, isAppError, requirePermission } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { appEvent } from "../domain/app-events.ts";
import { isChecked, type LiveApp } from "../domain/live-app.ts";
import { applyDeployment } from "./apply-deployment.ts";
import { type MarketplaceContext, requireApp } from "./context.ts";
import { finishOperation } from "./install-app.ts";
import { newOperation } from "./new-operation.ts";
import { onCurrentApp } from "./on-current-app.ts";
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
export async function setAppEnabled(context: MarketplaceContext, request: EnableRequest, call: Call): Promise<AppRecord> {
  await requirePermission(context.permissions, call, "app:install");
  const { name, enabled } = request;
  const app = await context.lock.run(name, () =>
    onCurrentApp(async () => {
      const live = await requireApp(context, name);
      requireInstalled(live.app, enabled ? "be enabled" : "be disabled");
      if (live.app.enabled === enabled) return live.app;
      requireNotSwitching(live.app);
      return store(context, live, enabled, call);
    }),
  );
  if (!enabled || !app.enabled) return app;
  // If the app was disabled a moment ago, its container may still run. Then no event of the container follows.
  await applyDeployment(context, name).catch((error: unknown) => {
    // The app is enabled. The command that works on it now reads the deployment, or the platform does later.
    if (!isAppError(error, "CONFLICT")) throw error;
  });
  return (await context.store.findByName(name)) ?? app;
}

function store(context: MarketplaceContext, { app, ...live }: LiveApp, enabled: boolean, call: Call): Promise<AppRecord> {
  const actor = actorOf(call.caller);
  const action = enabled ? "enable" : "disable";
  const operation = newOperation(context, { kind: action, version: app.version, actor, stage: action });
  const next: AppRecord = {
    ...app,
    enabled,
    // Enabled apps without anything to check are healthy, as after an installation.
    health: enabled && !isChecked(live) ? "HEALTHY" : "UNKNOWN",
    endpoint: undefined,
    resumesSince: undefined,
    updatedAt: operation.startedAt,
  };
  const type = enabled ? "app.enabled" : "app.disabled";
  return context.store.save({
    app: next,
    expectedRowVersion: app.rowVersion,
    events: [appEvent(type, next, operation.startedAt, actor, { actor })],
    operation: finishOperation(context, operation, undefined),
    audit: auditEntry(call, { action: `app.${action}`, target: `app:${app.name}`, details: { version: app.version } }),
  });
}
