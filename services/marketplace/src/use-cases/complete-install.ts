import { type ImageReferenceParts, imageReference } from "@appserver/contracts/names";
import { defaultImageStage } from "@appserver/contracts/settings";
import { AppError, auditEntry, isDatabaseUnavailable } from "@appserver/kernel";
import { type AppRecord, imageOwnerOf, type OperationRecord } from "../domain/app.ts";
import { appEvent } from "../domain/app-events.ts";
import { isChecked, type LiveApp } from "../domain/live-app.ts";
import type { MarketplaceContext } from "./context.ts";
import { describeRelease } from "./describe/describe-release.ts";
import { grantPermissions, revokeGrants } from "./grant-permissions.ts";
import { type CommandResult, finishOperation } from "./operation.ts";
import { problemOf } from "./problem-of.ts";
import { transitionCurrent } from "./transition.ts";

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
    const stage = (await context.settings.imageStage(app.id)) ?? declaredStage ?? context.policy.imageStage;
    const installedAt = new Date(context.clock.now());
    const generation = app.lastGeneration + 1;
    const next = afterOnCreate(context, live, operation);
    const installed = await transitionCurrent(context, app, "installed", {
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
      audit: auditEntry(operation, {
        action: "app.install",
        target: `app:${app.name}`,
        details: { version: app.version, manifestDigest: app.manifestDigest },
      }),
      events: (next, at) => [
        appEvent(
          "app.installed",
          next,
          at,
          actor,
          installedPayload(context, next, { stage, digest: manifest.imageDigest }, actor),
        ),
      ],
    });
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
  await transitionCurrent(context, app, "failed", {
    reason: problem.message,
    actor,
    fields: { lastError: problem, installedAt: undefined },
    operation: finishOperation(context, operation, problem),
    audit: auditEntry(operation, {
      action: "app.install",
      target: `app:${app.name}`,
      outcome: "failure",
      details: { version: app.version, error: { code, message } },
    }),
  });
}

/** Ends the installation of an app that has nothing to run, or an external backend without a health path: it is RUNNING at once. */
export async function startWithoutContainer(
  context: MarketplaceContext,
  { app, api, placement }: LiveApp,
  operation: OperationRecord,
): Promise<CommandResult> {
  await describeRelease(context, { app, api, placement }, app.manifestDigest);
  const reason = placement.api === "none" ? "nothing to run" : "external upstream without a health check";
  const ended = finishOperation(context, operation);
  const end = { reason, fields: { health: "HEALTHY" }, operation: ended } as const;
  // Also after another writer changed the app: the installation has succeeded.
  const running = await transitionCurrent(context, app, "healthy", end);
  return { app: running, operation: ended };
}

function installedPayload(
  { policy }: MarketplaceContext,
  app: AppRecord,
  { stage, digest }: Pick<ImageReferenceParts, "stage" | "digest">,
  actor: string | undefined,
) {
  return {
    image: imageReference({ registry: policy.imageRegistry, appName: imageOwnerOf(app, app.manifestDigest), stage, digest }),
    // A digest is not of a stage.
    stage: digest === undefined ? stage : null,
    generation: app.generation,
    actor: actor ?? null,
  };
}
