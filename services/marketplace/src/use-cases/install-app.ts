import { imageReference } from "@appserver/contracts/names";
import { defaultImageStage } from "@appserver/contracts/settings";
import { AppError, actorOf, auditEntry, type Call, isDatabaseUnavailable, requirePermission } from "@appserver/kernel";
import type { AppRecord, OperationRecord, Problem } from "../domain/app.ts";
import { appEvent } from "../domain/app-events.ts";
import { approvalRequired, type PlanStep } from "../domain/install-plan.ts";
import { isChecked, type LiveApp } from "../domain/live-app.ts";
import { appForAttempt, type MarketplaceContext, problemOf, requireApp, requireKnown, transition } from "./context.ts";
import { grantPermissions, revokeGrants } from "./grant-permissions.ts";
import { missingApprovals } from "./missing-approvals.ts";
import { newOperation } from "./new-operation.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { planInstall } from "./plan-install.ts";
import { requireNoBlockers, requireReviewed, throwProblem } from "./reviewed-plan.ts";

export interface InstalledWithWarnings {
  readonly app: AppRecord;
  readonly warnings: readonly Problem[];
}

export interface InstallRequest {
  readonly name: string;
  /** Digest of the reviewed plan. CONFLICT if the plan has changed since. */
  readonly planDigest?: string | undefined;
  /** Whether missing HARD dependencies are installed, too. Otherwise each is a blocker. Default true. */
  readonly withDependencies?: boolean | undefined;
}

/**
 * Installs the app and, before it, the HARD dependencies that are not yet installed. Resolves at INSTALLED, with
 * `app.installed` committed in the same transaction (docs/interface/states.md#installation). Containers start afterwards.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE, APPROVAL_REQUIRED or DEPENDENCY_UNSATISFIED with all blockers in the
 * details. Throws CONFLICT if another command works on the app, or if an app of the plan was registered again since.
 */
export async function installApp(
  context: MarketplaceContext,
  request: InstallRequest,
  call: Call,
): Promise<InstalledWithWarnings> {
  const { name, planDigest, withDependencies } = request;
  const { caller } = call;
  await requirePermission(context.permissions, call, "app:install");
  const plan = await planInstall(context, name, { withDependencies });
  requireReviewed(`the plan to install ${name}`, planDigest, plan.digest, name);
  requireNoBlockers(plan);
  if (plan.steps.length === 0) {
    throw new AppError("INVALID_STATE", `${name} is ${plan.app.state} already`, {
      details: { app: name, from: plan.app.state, to: "INSTALLING" },
    });
  }
  let { app } = plan;
  for (const step of plan.steps) app = await installOne(context, step, actorOf(caller));
  return { app, warnings: plan.warnings };
}

/** Executes one step of a plan. */
export function installOne(context: MarketplaceContext, step: PlanStep, actor: string): Promise<AppRecord> {
  return context.lock.run(step.appName, async () => {
    const operation = newOperation(context, { kind: "install", version: step.version, actor, stage: "onCreate" });
    const installing = await onCurrentApp(async (attempt) => {
      // The plan has just read it.
      const live =
        attempt === 1 ? requireKnown(context.apps.get(step.appName), step.appName) : await requireApp(context, step.appName);
      await requireAsPlanned(context, live, step);
      const app = await transition(context, live.app, "install", {
        reason: "install requested",
        actor,
        operation,
        fields: {
          lastError: undefined,
          endpoint: undefined,
          // A new installation resolves its image again.
          imageDigest: undefined,
          health: "UNKNOWN",
          // It also ends a switch of an app that failed during it.
          target: undefined,
          resumesSince: undefined,
        },
      });
      return { ...live, app };
    });
    return completeInstall(context, installing, operation, actor);
  });
}

/**
 * Checks that the app still matches the plan: it has the same manifest, and every permission that needs an approval has one.
 */
async function requireAsPlanned(context: MarketplaceContext, { app, manifest }: LiveApp, step: PlanStep): Promise<void> {
  if (app.version !== step.version || app.manifestDigest !== step.manifestDigest) {
    throw new AppError("CONFLICT", `${app.name} was registered again after its installation was planned; plan it again`, {
      details: { app: app.name, planned: step.version, registered: app.version },
    });
  }
  const missing = await missingApprovals(context, app, manifest);
  if (missing.length === 0) return;
  throwProblem(approvalRequired(app.name, missing));
}

/**
 * Moves the app from INSTALLING to INSTALLED, or to FAILED with the reason. Idempotent: safe to run again after a crash at any
 * point.
 */
export async function completeInstall(
  context: MarketplaceContext,
  live: LiveApp,
  operation: OperationRecord,
  actor: string | undefined,
): Promise<AppRecord> {
  const { app, manifest } = live;
  try {
    // The platform's own part of onCreate: first the tuples of the permission model, then the part of the other services.
    await grantPermissions(context, app, manifest);
    for (const participant of context.participants) await participant.prepare?.(live);
    for (const participant of context.participants) await participant.onCreate?.(live, { operationId: operation.id, actor });
    const declaredStage = defaultImageStage(manifest.settings?.definitions ?? []);
    const stage = (await context.imageStages.find(app.id)) ?? declaredStage ?? context.policy.imageStage;
    const installedAt = new Date(context.clock.now());
    const generation = app.lastGeneration + 1;
    // Also after another writer changed the app: the caller must not learn CONFLICT of a command that has begun.
    const installed = await onCurrentApp(async (attempt) =>
      transition(context, await appForAttempt(context, app, attempt), "installed", {
        reason: "onCreate done",
        actor,
        fields: { installedAt, generation, lastGeneration: generation },
        versionChange: {
          kind: "install",
          fromVersion: undefined,
          version: app.version,
          revision: app.revision,
          manifestDigest: app.manifestDigest,
          imageDigest: undefined,
          actor,
          reason: undefined,
          at: installedAt,
        },
        // The installation of an app in a container ends when the container is healthy.
        operation: live.placement.needsContainer
          ? { ...operation, stage: "deploy", progress: 0.05 }
          : finishOperation(context, operation, undefined),
        audit: auditEntry(
          { actor },
          {
            action: "app.install",
            target: `app:${app.name}`,
            details: { version: app.version, manifestDigest: app.manifestDigest },
          },
        ),
        events: (next, at) => [appEvent("app.installed", next, at, actor, installedPayload(context, next, stage, actor))],
      }),
    );
    return await startWithoutContainer(context, { ...live, app: installed });
  } catch (error) {
    if (error instanceof AppError && error.code === "CONFLICT") throw error;
    // The app itself is fine. It stays INSTALLING and the installation is resumed when the database is reachable again.
    if (isDatabaseUnavailable(error)) throw error;
    await failInstall(context, app, operation, { error, actor });
    throw error;
  }
}

/** Sets FAILED with the reason and revokes what the installation had granted. Nothing of an earlier installation runs either. */
async function failInstall(
  context: MarketplaceContext,
  app: AppRecord,
  operation: OperationRecord,
  { error, actor }: { readonly error: unknown; readonly actor: string | undefined },
): Promise<void> {
  context.logger.error({ err: error, app: app.name }, "marketplace: an installation failed");
  const granted = await context.approvals.grants(app.id);
  if (granted)
    await revokeGrants(context, app, granted).catch((reason: unknown) =>
      context.logger.warn(
        { err: reason, app: app.name },
        "marketplace: could not revoke the grants of a failed installation; retrying later",
      ),
    );
  const problem = problemOf(error);
  const { code, message } = problem;
  await onCurrentApp(async (attempt) =>
    transition(context, await appForAttempt(context, app, attempt), "failed", {
      reason: problem.message,
      actor,
      fields: { lastError: problem, installedAt: undefined },
      operation: finishOperation(context, operation, problem),
      audit: auditEntry(
        { actor },
        {
          action: "app.install",
          target: `app:${app.name}`,
          outcome: "failure",
          details: { version: app.version, error: { code, message } },
        },
      ),
    }),
  );
}

/** Sets an app RUNNING at once if it has nothing to run, or an external backend without a health path. */
export async function startWithoutContainer(context: MarketplaceContext, live: LiveApp): Promise<AppRecord> {
  const { app, placement } = live;
  if (isChecked(live)) return app;
  const reason = placement.api === "none" ? "nothing to run" : "external upstream without a health check";
  // Also after another writer changed the app: the installation has succeeded.
  return onCurrentApp(async (attempt) =>
    transition(context, await appForAttempt(context, app, attempt), "healthy", { reason, fields: { health: "HEALTHY" } }),
  );
}

function installedPayload({ policy }: MarketplaceContext, app: AppRecord, stage: string, actor: string | undefined) {
  return {
    image: imageReference({ registry: policy.imageRegistry, appName: app.name, stage }),
    stage,
    generation: app.generation,
    actor: actor ?? null,
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
