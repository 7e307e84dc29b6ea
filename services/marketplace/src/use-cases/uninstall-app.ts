import { auditEntry, type Call, initiatorOf, requirePermission } from "@appserver/kernel";
import { type AppRecord, noAddress, type OperationRecord } from "../domain/app.ts";
import { appEvent } from "../domain/app-events.ts";
import type { MarketplaceContext } from "./context.ts";
import { earlierResult } from "./earlier-result.ts";
import { requireApp } from "./find-app.ts";
import { revokeGrants } from "./grant-permissions.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { type CommandResult, finishOperation, newOperation } from "./operation.ts";
import { requireNoDependents } from "./require-no-dependents.ts";
import { transition, transitionCurrent } from "./transition.ts";

export interface UninstallRequest {
  readonly name: string;
  /** Whether to also delete the data that the platform stores for the app (its settings). */
  readonly purgeData: boolean;
}

/**
 * Uninstalls the app. The orchestrator removes its container on `app.uninstalled`.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND or INVALID_STATE. Throws DEPENDENCY_UNSATISFIED with the names of the installed apps that
 * HARD-depend on it. Throws CONFLICT if another command works on the app.
 */
export async function uninstallApp(context: MarketplaceContext, request: UninstallRequest, call: Call): Promise<CommandResult> {
  const { caller } = call;
  await requirePermission(context.permissions, call, "app:uninstall");
  const earlier = await earlierResult(context, request.name);
  if (earlier) return earlier;
  const by = initiatorOf(caller);
  return context.lock.run(request.name, async () => {
    const stage = request.purgeData ? "purge" : "remove";
    const uninstalling = await onCurrentApp(async () => {
      const { app } = await requireApp(context, request.name);
      await requireNoDependents(context, app);
      const operation = newOperation(context, app, { kind: "uninstall", ...by, stage });
      const next = await transition(context, app, "uninstall", {
        reason: "uninstall requested",
        actor: by.actor,
        // The removal also ends a switch to another version.
        fields: { target: undefined, requestsBufferedSince: undefined },
        operation,
      });
      return { app: next, operation };
    });
    return completeUninstall(context, uninstalling.app, uninstalling.operation);
  });
}

/** Moves the app from UNINSTALLING to UNINSTALLED. Idempotent: safe to run again after a crash at any point. */
export async function completeUninstall(
  context: MarketplaceContext,
  app: AppRecord,
  operation: OperationRecord,
): Promise<CommandResult> {
  const { actor } = operation;
  const granted = await context.approvals.grants(app.id);
  if (granted) await revokeGrants(context, app, granted);
  if (operation.stage === "purge") {
    for (const participant of [...context.participants].reverse()) await participant.purge?.(app, operation);
  }
  const finished = finishOperation(context, operation);
  const uninstalled = await transitionCurrent(context, app, "uninstalled", {
    reason: "removed",
    actor,
    fields: {
      ...noAddress,
      asleepSince: undefined,
      health: "UNKNOWN",
      enabled: true,
      installedAt: undefined,
      lastError: undefined,
    },
    operation: finished,
    audit: auditEntry(operation, {
      action: "app.uninstall",
      target: `app:${app.name}`,
      details: { version: app.version, purgeData: operation.stage === "purge" },
    }),
    events: (next, at) => [
      appEvent("app.uninstalled", next, at, actor, { purgeData: operation.stage === "purge", actor: actor ?? null }),
    ],
  });
  return { app: uninstalled, operation: finished };
}
