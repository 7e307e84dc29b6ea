import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError, actorOf, type Caller, isDatabaseAway, requirePermission, uuidv7 } from "@appserver/kernel";
import type { AppRecord, OperationRecord, Problem } from "../domain/app.ts";
import { appEvent } from "../domain/app-events.ts";
import { placementOf } from "../domain/placement.ts";
import { declaredScopes, proxiedApi } from "../domain/proxied-api.ts";
import { requirementsOf } from "../domain/required-permissions.ts";
import { type MarketplaceContext, problemOf, requireApp, transition } from "./context.ts";
import { planInstall } from "./plan-install.ts";

export interface Installation {
  readonly app: AppRecord;
  readonly warnings: readonly Problem[];
}

/**
 * Installs the app and, before it, the HARD dependencies that are not yet installed. Resolves at INSTALLED, with
 * `app.installed` committed in the same transaction (design/behaviour "States"); what runs follows.
 *
 * Throws NOT_FOUND, PERMISSION_DENIED, INVALID_STATE, APPROVAL_REQUIRED or DEPENDENCY_UNSATISFIED with all blockers in
 * the details, CONFLICT when another command works on the app.
 */
export async function installApp(context: MarketplaceContext, name: string, caller: Caller): Promise<Installation> {
  const known = await requireApp(context, name);
  await requirePermission(context.permissions, caller, "app:install");
  const plan = await planInstall(context, name);
  const [blocker] = plan.blockers;
  if (blocker) {
    throw new AppError(blocker.code as "DEPENDENCY_UNSATISFIED", blocker.message, {
      details: { ...blocker.details, blockers: plan.blockers },
    });
  }
  if (plan.steps.length === 0) {
    throw new AppError("INVALID_STATE", `${name} is ${known.state} already`, {
      details: { app: name, from: known.state, to: "INSTALLING" },
    });
  }
  let app = known;
  for (const step of plan.steps) app = await installOne(context, step.appName, caller);
  return { app, warnings: plan.warnings };
}

function installOne(context: MarketplaceContext, name: string, caller: Caller): Promise<AppRecord> {
  return context.lock.run(name, async () => {
    const app = await requireApp(context, name);
    const actor = actorOf(caller);
    const operation = startOperation(context);
    const installing = await transition(context, app, "install", {
      reason: "install requested",
      actor,
      operation,
      fields: { lastError: undefined, endpoint: undefined, health: "UNKNOWN" },
    });
    return completeInstall(context, installing, operation, actor);
  });
}

/** From INSTALLING to INSTALLED, or to FAILED with the reason. Safe to run again after a crash at any point of it. */
export async function completeInstall(
  context: MarketplaceContext,
  app: AppRecord,
  operation: OperationRecord,
  actor: string | undefined,
): Promise<AppRecord> {
  try {
    const manifest = await manifestOf(context, app);
    await runOnCreate(context, app, manifest);
    await context.creationHook.run(app, operation.id, actor);
    const stage = (await context.imageStages.find(app.id)) ?? context.policy.imageStage;
    const installed = await transition(context, app, "installed", {
      reason: "onCreate done",
      actor,
      fields: { installedAt: new Date(context.clock.now()), generation: app.generation + 1 },
      operation: finishOperation(context, operation, undefined),
      events: (next, at) => [appEvent("app.installed", next, at, actor, installedPayload(context, next, stage, actor))],
    });
    return await startWithoutContainer(context, installed, manifest);
  } catch (error) {
    if (error instanceof AppError && error.code === "CONFLICT") throw error;
    // Nothing is wrong with the app: it stays INSTALLING, and is resumed when the database is back.
    if (isDatabaseAway(error)) throw error;
    context.logger.error({ err: error, app: app.name }, "installation failed");
    const problem = problemOf(error);
    await transition(context, app, "failed", {
      reason: problem.message,
      actor,
      fields: { lastError: problem },
      operation: finishOperation(context, operation, problem),
    });
    throw error;
  }
}

/** The platform's own part of onCreate: what the permission model needs to know of the app, then the other services' part. */
async function runOnCreate(context: MarketplaceContext, app: AppRecord, manifest: AppManifest): Promise<void> {
  const api = manifest.webApp?.api;
  await context.permissions.grant(app.name, declaredScopes(api && proxiedApi(app.name, api)), requirementsOf(manifest));
  await context.data.prepare(app);
}

/** An app with nothing to run, or with a backend elsewhere that has no health path, is running as soon as it is installed. */
async function startWithoutContainer(context: MarketplaceContext, app: AppRecord, manifest: AppManifest): Promise<AppRecord> {
  const placement = placementOf(manifest);
  if (placement === "container") return app;
  if (placement === "external" && manifest.webApp?.api?.healthCheck) return app;
  const reason = placement === "none" ? "nothing to run" : "external upstream without a health check";
  return transition(context, app, "healthy", { reason, fields: { health: "HEALTHY" } });
}

export async function manifestOf(context: MarketplaceContext, app: AppRecord): Promise<AppManifest> {
  const manifest = await context.store.manifest(app.id, app.version);
  if (!manifest) throw new Error(`the manifest of ${app.name} ${app.version} is missing`);
  return manifest;
}

function installedPayload({ policy }: MarketplaceContext, app: AppRecord, stage: string, actor: string | undefined) {
  const repository = policy.imageRegistry === "" ? app.name : `${policy.imageRegistry}/${app.name}`;
  return {
    image: `${repository}:${stage}`,
    stage,
    generation: app.generation,
    actor: actor ?? null,
  };
}

function startOperation(context: MarketplaceContext): OperationRecord {
  const startedAt = new Date(context.clock.now());
  return {
    id: uuidv7(),
    kind: "install",
    stage: "onCreate",
    progress: 0,
    done: false,
    error: undefined,
    startedAt,
    finishedAt: undefined,
  };
}

export function finishOperation(
  context: MarketplaceContext,
  operation: OperationRecord,
  error: Problem | undefined,
): OperationRecord {
  return {
    ...operation,
    stage: error ? "failed" : "done",
    progress: 1,
    done: true,
    error,
    finishedAt: new Date(context.clock.now()),
  };
}
