import { quote } from "@appserver/contracts/patterns";
import { AppError, auditEntry, type Call, initiatorOf, requirePermission } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { isDeletable } from "../domain/app-state.ts";
import type { LiveApp } from "../domain/live-app.ts";
import type { MarketplaceContext } from "./context.ts";
import { earlierResult } from "./earlier-result.ts";
import { requireApp } from "./find-app.ts";
import { type CommandResult, newOperation, runRequest } from "./operation.ts";
import { readStorage } from "./read-app-parts.ts";

/**
 * Deletes one storage of an app that does not run (docs/interface/containers.md#storage). Resolves when the request is stored: the
 * orchestrator carries it out, before the app runs again.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND for an unknown app and for storage that it neither declares nor has, INVALID_STATE for an app
 * that is installed and enabled, and CONFLICT while its container is being removed or another command works on the app.
 */
export async function deleteStorage(
  context: MarketplaceContext,
  { name, storage }: { readonly name: string; readonly storage: string },
  call: Call,
): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "app:delete");
  const earlier = await earlierResult(context, name);
  if (earlier) return earlier;
  return context.lock.run(name, async () => {
    const live = await requireApp(context, name);
    const { app } = live;
    await requireStorage(context, live, storage);
    const deploymentId = await requireAtRest(context, app);
    const command = { kind: "delete_storage", ...initiatorOf(call.caller), stage: "request" } as const;
    const operation = newOperation(context, app, command);
    const details = { id: app.id, storage };
    const audit = auditEntry(call, { action: "app.delete_storage", target: `app:${name}`, details });
    await context.store.addOperation(app, operation, audit);
    const request = () => context.deployments.removeData({ appId: app.id, appName: app.name, storage, deploymentId });
    return { app, operation: await runRequest(context, operation, request) };
  });
}

async function requireStorage(context: MarketplaceContext, { app, manifest }: LiveApp, wanted: string): Promise<void> {
  const names = (await readStorage(context, app, manifest)).map(({ name }) => name);
  if (names.includes(wanted)) return;
  throw new AppError("NOT_FOUND", `${app.name} has no storage ${quote(wanted)}`, {
    details: { app: app.name, storage: wanted, existing: names },
  });
}

/** Returns the id of the last deployment. */
async function requireAtRest(context: MarketplaceContext, app: AppRecord): Promise<string | undefined> {
  const { name, state } = app;
  if (app.enabled && !isDeletable(app)) {
    throw new AppError("INVALID_STATE", `${name} is ${state}; disable or uninstall it before its storage is deleted`, {
      details: { app: name, state },
    });
  }
  const deployment = await context.deployments.find(app.id);
  if (deployment === undefined || deployment.state === "STOPPED") return deployment?.id;
  throw new AppError("CONFLICT", `the container of ${name} is still being removed; try again`, {
    details: { app: name, deployment: deployment.state },
  });
}
