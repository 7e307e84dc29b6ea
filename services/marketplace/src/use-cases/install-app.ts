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
import { onCurrentApp } from "./on-current-app.ts";
import { type CommandResult, finishOperation, newOperation } from "./operation.ts";
import { planInstall } from "./plan-install.ts";
import { requireNoBlockers, requireReviewed, throwProblem } from "./reviewed-plan.ts";

export interface InstalledWithWarnings extends CommandResult {
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
  let installed: CommandResult | undefined;
  for (const step of plan.steps) installed = await installOne(context, step, actorOf(caller));
  if (installed) return { ...installed, warnings: plan.warnings };
  throw new AppError("INVALID_STATE", `${name} is ${plan.app.state} already`, {
    details: { app: name, from: plan.app.state, to: "INSTALLING" },
  });
}

/** Executes one step of a plan. */
export function installOne(context: MarketplaceContext, step: PlanStep, actor: string): Promise<CommandResult> {
  return context.lock.run(step.appName, async () => {
    const operation = newOperation(
      context,
      { name: step.appName, version: step.version },
      { kind: "install", actor, stage: "onCreate" },
    );
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
    return completeInstall(context, installing, operation);
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
): Promise<CommandResult> {
  const { app, manifest } = live;
  const { actor } = operation;
  try {
    // The platform's own part of onCreate: first the tuples of the permission model, then the part of the other services.
    await grantPermissions(context, app, manifest);
    for (const participant of context.participants) await participant.prepare?.(live);
    for (const participant of context.participants) await participant.onCreate?.(live, { operationId: operation.id, actor });
    const declaredStage = defaultImageStage(manifest.settings?.definitions ?? []);
    const stage = (await context.imageStages.find(app.id)) ?? declaredStage ?? context.policy.imageStage;
    const installedAt = new Date(context.clock.now());
    const generation = app.lastGeneration + 1;
    const next = afterOnCreate(context, live, operation);
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
        operation: next,
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
    return next.stage === "start"
      ? await startWithoutContainer(context, { ...live, app: installed }, next)
      : { app: installed, operation: next };
  } catch (error) {
    if (error instanceof AppError && error.code === "CONFLICT") throw error;
    // The app itself is fine. It stays INSTALLING and the installation is resumed when the database is reachable again.
    if (isDatabaseUnavailable(error)) throw error;
    await failInstall(context, app, operation, error);
    throw error;
  }
}

/** Returns the operation once the app is INSTALLED. With a container it ends when the container is healthy. */
function afterOnCreate(context: MarketplaceContext, live: LiveApp, operation: OperationRecord): OperationRecord {
  if (live.placement.needsContainer) return { ...operation, stage: "deploy", progress: 0.05 };
  return isChecked(live) ? finishOperation(context, operation) : { ...operation, stage: "start", progress: 0.9 };
}

/** Sets FAILED with the reason and revokes what the installation had granted. Nothing of an earlier installation runs either. */
async function failInstall(
  context: MarketplaceContext,
  app: AppRecord,
  operation: OperationRecord,
  error: unknown,
): Promise<void> {
  const { actor } = operation;
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

/** Ends the installation of an app that has nothing to run, or an external backend without a health path: it is RUNNING at once. */
export async function startWithoutContainer(
  context: MarketplaceContext,
  { app, placement }: LiveApp,
  operation: OperationRecord,
): Promise<CommandResult> {
  const reason = placement.api === "none" ? "nothing to run" : "external upstream without a health check";
  const ended = finishOperation(context, operation);
  const end = { reason, fields: { health: "HEALTHY" }, operation: ended } as const;
  // Also after another writer changed the app: the installation has succeeded.
  const running = await onCurrentApp(async (attempt) =>
    transition(context, await appForAttempt(context, app, attempt), "healthy", end),
  );
  return { app: running, operation: ended };
}

function installedPayload({ policy }: MarketplaceContext, app: AppRecord, stage: string, actor: string | undefined) {
  return {
    image: imageReference({ registry: policy.imageRegistry, appName: app.name, stage }),
    stage,
    generation: app.generation,
    actor: actor ?? null,
  };
}
