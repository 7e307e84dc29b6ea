import { declaredScopes } from "@appserver/contracts/manifest";
import { AppError, auditEntry, type Call, initiatorOf, requirePermission } from "@appserver/kernel";
import type { AppRecord, OperationRecord } from "../domain/app.ts";
import { appEvent } from "../domain/app-events.ts";
import { isDeletable } from "../domain/app-state.ts";
import { OutdatedAppError } from "../domain/outdated-app.ts";
import { ownPermissions } from "../domain/own-permissions.ts";
import type { MarketplaceContext } from "./context.ts";
import { earlierOperation } from "./earlier-result.ts";
import { requireApp } from "./find-app.ts";
import { revokeGrants } from "./grant-permissions.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { finishOperation, newOperation } from "./operation.ts";
import { requireNoDependents } from "./require-no-dependents.ts";
import { appForAttempt } from "./transition.ts";

export interface DeletedApp {
  readonly appId: string;
  readonly operation: OperationRecord;
}

/**
 * Deletes the registration of an app with everything that the platform stores of it, except audit entries
 * (docs/interface/states.md#deletion). Then its name and its key are free. If it is interrupted, a worker finishes it
 * ({@link resumeDeletion}).
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE for an app that must be uninstalled first, DEPENDENCY_UNSATISFIED with the
 * names of the installed apps that HARD-depend on it, and CONFLICT while its container is being removed or another command
 * works on it.
 */
export async function deleteApp(
  context: MarketplaceContext,
  { name }: { readonly name: string },
  call: Call,
): Promise<DeletedApp> {
  const { caller } = call;
  await requirePermission(context.permissions, call, "app:delete");
  const earlier = await earlierOperation(context, name);
  if (earlier) return earlier;
  const by = initiatorOf(caller);
  return context.lock.run(name, async () => {
    const { marked, operation } = await onCurrentApp(async () => {
      const { app } = await requireApp(context, name);
      await requireDeletable(context, app);
      const begun = newOperation(context, app, { kind: "delete", ...by, stage: "delete" });
      const next = { ...app, updatedAt: begun.startedAt };
      const saved = await context.store.save({
        app: next,
        expectedRowVersion: app.rowVersion,
        events: [],
        operation: begun,
      });
      return { marked: saved, operation: begun };
    });
    return { appId: marked.id, operation: await completeDeletion(context, marked, operation) };
  });
}

async function requireDeletable(context: MarketplaceContext, app: AppRecord): Promise<void> {
  const { name, state } = app;
  if (!isDeletable(app)) {
    throw new AppError("INVALID_STATE", `${name} is ${state}; uninstall it before it is deleted`, {
      details: { app: name, state },
    });
  }
  await requireNoDependents(context, app);
  const deployment = await context.deployments.find(app.id);
  if (deployment === undefined || deployment.state === "STOPPED") return;
  // Its container has the name that another app may get.
  throw new AppError("CONFLICT", `the container of ${name} is still being removed; try again`, {
    details: { app: name, deployment: deployment.state },
  });
}

/** Deletes the app under its lock. Every step may be repeated, and the last one is one transaction. Returns the ended operation. */
async function completeDeletion(
  context: MarketplaceContext,
  app: AppRecord,
  operation: OperationRecord,
): Promise<OperationRecord> {
  const { actor } = operation;
  const granted = await context.approvals.grants(app.id);
  if (granted) await revokeGrants(context, app, granted);
  await context.permissions.forget(app.name, [...(granted?.own ?? []), ...(await scopesOf(context, app))]);
  const participants = [...context.participants].reverse();
  for (const participant of participants) await participant.purge?.(app, operation);
  for (const participant of participants) await participant.forget?.(app);
  const at = new Date(context.clock.now());
  const events = [appEvent("app.deleted", app, at, actor, { actor: actor ?? null })];
  const { id, version, keyFingerprint } = app;
  const details = { id, version, keyFingerprint };
  const audit = auditEntry(operation, { action: "app.delete", target: `app:${app.name}`, details });
  const finished = finishOperation(context, operation);
  await onCurrentApp(async (attempt) => {
    const current = await appForAttempt(context, app, attempt);
    // The platform's own notes on an app keep this time. A command that changed the app comes before the deletion.
    if (current.updatedAt.getTime() !== app.updatedAt.getTime()) throw new OutdatedAppError(app.name);
    await context.store.remove({ app: current, events, audit, operation: finished });
  });
  return finished;
}

/** Returns the scopes of the app itself, of all its releases: those of routes, and those that people were given for pages. */
async function scopesOf({ store }: MarketplaceContext, app: AppRecord): Promise<readonly string[]> {
  const scopes: string[] = [];
  for (const { manifestDigest } of await store.releases(app.id)) {
    const manifest = await store.manifest(app.id, manifestDigest);
    if (manifest) scopes.push(...declaredScopes(manifest), ...ownPermissions(manifest));
  }
  return scopes;
}

/**
 * Finishes an interrupted deletion, under the app's lock. Gives it up if another command changed the app since, for example a
 * new registration.
 */
export async function resumeDeletion(context: MarketplaceContext, app: AppRecord, operation: OperationRecord): Promise<void> {
  if (app.updatedAt.getTime() === operation.startedAt.getTime()) {
    await completeDeletion(context, app, operation);
    return;
  }
  const problem = { code: "CONFLICT", message: `${app.name} was changed after its deletion began; delete it again` };
  await context.store.updateOperation(finishOperation(context, operation, problem));
}
