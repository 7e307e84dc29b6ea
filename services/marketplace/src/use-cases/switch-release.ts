import { auditEntry, currentTraceparent } from "@appserver/kernel";
import type {
  AppRecord,
  AppTransition,
  OperationRecord,
  Problem,
  Release,
  SwitchKind,
  SwitchTarget,
  VersionChange,
} from "../domain/app.ts";
import { type AppEvent, appEvent, stateChanged } from "../domain/app-events.ts";
import { canTransition, nextState } from "../domain/app-state.ts";
import type { LiveApp, LiveRelease } from "../domain/live-app.ts";
import { routeBaseOf } from "../domain/planned-app.ts";
import { displayName, isNewer, newestOf, releasesToForget } from "../domain/releases.ts";
import type { DeploymentView } from "../ports.ts";
import { type MarketplaceContext, manifestOf } from "./context.ts";
import { grantForSwitch, grantPermissions } from "./grant-permissions.ts";
import { type CommandResult, finishOperation, newOperation } from "./operation.ts";

export interface SwitchRequest {
  readonly kind: SwitchKind;
  /** What the app switches to. */
  readonly release: Release;
  readonly to: LiveRelease;
  readonly actor: string;
  /** The digest of the configuration that the platform replaces the deployment for. */
  readonly configuration?: string | undefined;
}

/**
 * Starts the switch of an installed app to another release (docs/interface/states.md#switch). Apps that run in containers get a
 * target, which the orchestrator starts; the current release serves until {@link completeSwitch}. Other apps switch at once.
 * Call it under the app's lock.
 */
export async function beginSwitch(
  context: MarketplaceContext,
  live: LiveApp,
  { kind, release, to, actor, configuration }: SwitchRequest,
): Promise<CommandResult> {
  const { app } = live;
  await grantForSwitch(context, app, live.manifest, to.manifest);
  const at = new Date(context.clock.now());
  const { version, revision, manifestDigest, imageDigest } = release;
  const operation = newOperation(context, { name: app.name, version }, { kind, actor, stage: "deploy", startedAt: at });
  const target: SwitchTarget = {
    kind,
    version,
    revision,
    manifestDigest,
    imageDigest,
    strategy: to.strategy,
    generation: app.lastGeneration + 1,
    operationId: operation.id,
    actor,
    configuration,
    traceparent: currentTraceparent(),
  };
  const next: AppRecord = { ...app, target, undecidedDigest: undefined, lastGeneration: target.generation, updatedAt: at };
  if (!to.placement.needsContainer) {
    const switched = await saveSwitch(context, { app: next, to, endpoint: undefined, operation });
    return finishSwitch(context, switched, operation);
  }
  const saved = await context.store.save({
    app: next,
    expectedRowVersion: app.rowVersion,
    events: [
      appEvent("app.upgrade_started", app, at, actor, {
        kind,
        fromVersion: app.version,
        toVersion: version,
        generation: target.generation,
        actor,
      }),
    ],
    operation,
    audit: auditEntry(
      { actor },
      { action: `app.${kind}`, target: `app:${app.name}`, details: { fromVersion: app.version, version, manifestDigest } },
    ),
  });
  return { app: saved, operation };
}

/** Makes the healthy target the release that serves. The switch, its event and its history are one transaction. */
export async function completeSwitch(
  context: MarketplaceContext,
  app: AppRecord,
  deployment: Pick<DeploymentView, "endpoint" | "imageDigest">,
): Promise<void> {
  const { target } = app;
  if (!target) return;
  const live = await context.apps.current(app.name);
  if (!live?.target || live.app.target?.operationId !== target.operationId) return;
  const operation = await operationOf(context, target, app);
  const imageDigest = deployment.imageDigest ?? target.imageDigest;
  const switched = await saveSwitch(context, {
    app: { ...app, target: { ...target, imageDigest } },
    to: live.target,
    endpoint: deployment.endpoint,
    operation,
  });
  await finishSwitch(context, switched, operation);
}

/** Ends a switch whose target did not become healthy, or was cancelled. The current release still serves. */
export async function revertSwitch(
  context: MarketplaceContext,
  app: AppRecord,
  problem: Problem,
  actor: string | undefined,
): Promise<CommandResult> {
  const { target } = app;
  if (!target) throw new Error(`${app.name} is not switching`);
  const at = new Date(context.clock.now());
  const operation = { ...(await operationOf(context, target, app)), stage: "revert", error: problem };
  const facts = { fromVersion: target.version, toVersion: app.version };
  // After a switch that a user cancels, none follows by itself.
  const undecidedDigest = actor === undefined ? app.undecidedDigest : undefined;
  // The orchestrator may have stopped the current deployment for the target.
  const resumesSince = target.holdsRequests ? at : app.resumesSince;
  const reverted = await context.store.save({
    app: {
      ...app,
      target: undefined,
      undecidedDigest,
      resumesSince,
      failedConfiguration: target.configuration ?? app.failedConfiguration,
      updatedAt: at,
    },
    expectedRowVersion: app.rowVersion,
    events: [
      appEvent("app.rolled_back", app, at, actor, {
        ...facts,
        actor: actor ?? null,
        isAutomatic: actor === undefined,
        reason: problem.message,
      }),
    ],
    versionChange: {
      kind: "revert",
      fromVersion: target.version,
      version: app.version,
      revision: app.revision,
      manifestDigest: app.manifestDigest,
      imageDigest: app.imageDigest,
      actor,
      reason: problem.message,
      at,
    },
    operation,
    audit: auditEntry(
      { actor },
      {
        action: `app.${target.kind}`,
        target: `app:${app.name}`,
        outcome: "failure",
        details: { ...facts, error: { code: problem.code, message: problem.message } },
      },
    ),
  });
  return finishSwitch(context, reverted, operation);
}

/**
 * Finishes a committed switch: grants exactly the approved permissions of the release that serves, and prepares the services. The
 * operation ends with the error that it has. Idempotent: it is repeated until the operation is done.
 */
export async function finishSwitch(
  context: MarketplaceContext,
  app: AppRecord,
  operation: OperationRecord,
): Promise<CommandResult> {
  const live = await context.apps.current(app.name);
  if (live && live.app.target === undefined) {
    await grantPermissions(context, live.app, await manifestOf(context, live.app));
    for (const participant of context.participants) await participant.prepare?.(live);
  }
  const finished = finishOperation(context, operation, operation.error);
  await context.store.updateOperation(finished);
  return { app: live?.app ?? app, operation: finished };
}

interface CommittedSwitch {
  /** With its target. */
  readonly app: AppRecord;
  readonly to: LiveRelease;
  readonly endpoint: string | undefined;
  readonly operation: OperationRecord;
}

async function saveSwitch(context: MarketplaceContext, { app, to, endpoint, operation }: CommittedSwitch): Promise<AppRecord> {
  const { target } = app;
  if (!target) throw new Error(`${app.name} has no target`);
  const at = new Date(context.clock.now());
  const { kind, version, revision, manifestDigest, imageDigest, generation, actor } = target;
  const releases = await context.store.releases(app.id);
  const newest = newestOf(releases);
  const available = newest && isNewer(newest, target) ? newest : undefined;
  // An external backend is probed. Of the others nothing may report again that the release is healthy.
  const isHealthy = to.placement.needsContainer || isUnchecked(to);
  const trigger = isHealthy ? recoveries.find((each) => canTransition(app.state, each)) : undefined;
  const recovery: AppTransition | undefined = trigger && {
    from: app.state,
    to: nextState(app.name, app.state, trigger),
    reason: "switched",
    actor,
    at,
  };
  const next: AppRecord = {
    ...app,
    state: recovery?.to ?? app.state,
    displayName: displayName(to.manifest),
    version,
    revision,
    manifestDigest,
    imageDigest,
    generation,
    target: undefined,
    resumesSince: undefined,
    availableVersion: available?.version,
    availableDigest: available?.manifestDigest,
    ...(to.placement.needsContainer ? { endpoint, health: "HEALTHY" } : { endpoint: undefined }),
    ...(isUnchecked(to) ? { health: "HEALTHY" } : {}),
    lastError: undefined,
    updatedAt: at,
  };
  const change: VersionChange = {
    kind,
    fromVersion: app.version,
    version,
    revision,
    manifestDigest,
    imageDigest,
    actor,
    reason: undefined,
    at,
  };
  return context.store.save({
    app: next,
    expectedRowVersion: app.rowVersion,
    events: [switched(app, next, target, at), ...(recovery ? [stateChanged(next, recovery)] : [])],
    ...(recovery ? { transition: recovery } : {}),
    routeBase: routeBaseOf(to.manifest) ?? null,
    versionChange: change,
    forget: releasesToForget(releases, next, context.policy.keepVersions),
    operation: { ...operation, stage: "switch", progress: 0.9 },
    audit: auditEntry(
      { actor },
      {
        action: `app.${kind}`,
        target: `app:${app.name}`,
        details: { fromVersion: app.version, version, revision, manifestDigest, imageDigest },
      },
    ),
  });
}

/** The transitions to RUNNING. */
const recoveries = ["healthy", "healed"] as const;

/** Returns whether the release runs nothing whose health is checked. */
function isUnchecked({ placement, api }: LiveRelease): boolean {
  return !placement.needsContainer && !(placement.api === "external" && api?.healthCheck);
}

function switched(from: AppRecord, to: AppRecord, { kind, actor }: SwitchTarget, at: Date): AppEvent {
  const facts = { fromVersion: from.version, toVersion: to.version, actor: actor ?? null };
  return kind === "rollback"
    ? appEvent("app.rolled_back", to, at, actor, { ...facts, isAutomatic: false, reason: null })
    : appEvent("app.upgraded", to, at, actor, { ...facts, revision: to.revision, generation: to.generation });
}

async function operationOf(
  context: MarketplaceContext,
  { kind, operationId, version, actor }: SwitchTarget,
  app: AppRecord,
): Promise<OperationRecord> {
  const stored = await context.store.operationById(operationId);
  const begun = { id: operationId, kind, actor, stage: "resumed", startedAt: app.updatedAt };
  return stored ?? newOperation(context, { name: app.name, version }, begun);
}
