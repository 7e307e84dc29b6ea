import { auditEntry } from "@appserver/kernel";
import {
  type AppAddress,
  type AppRecord,
  type AppTransition,
  noAddress,
  type OperationRecord,
  type SwitchTarget,
  type VersionChange,
} from "../../domain/app.ts";
import { type AppEvent, appEvent, stateChanged } from "../../domain/app-events.ts";
import { canTransition, nextState } from "../../domain/app-state.ts";
import { isChecked, type LiveRelease } from "../../domain/live-app.ts";
import { routeBaseOf } from "../../domain/planned-app.ts";
import { isNewer, newestOf, presentation, releasesToForget } from "../../domain/releases.ts";
import type { MarketplaceContext } from "../context.ts";

interface CommittedSwitch {
  /** With its target. */
  readonly app: AppRecord;
  readonly to: LiveRelease;
  readonly address: AppAddress;
  readonly operation: OperationRecord;
}

/** Stores the switch. Its event, its history and its state are one transaction. */
export async function commitSwitch(
  context: MarketplaceContext,
  { app, to, address, operation }: CommittedSwitch,
): Promise<AppRecord> {
  const { target } = app;
  if (!target) throw new Error(`${app.name} has no target`);
  const at = new Date(context.clock.now());
  const { kind, version, revision, manifestDigest, imageDigest, generation, actor } = target;
  const releases = await context.store.releases(app.id);
  const newest = newestOf(releases);
  const available = newest && isNewer(newest, target) ? newest : undefined;
  // An external backend is probed. Of the others nothing may report again that the release is healthy.
  const isHealthy = to.placement.needsContainer || !isChecked(to);
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
    ...presentation(to.manifest),
    version,
    revision,
    manifestDigest,
    imageDigest,
    generation,
    target: undefined,
    requestsBufferedSince: undefined,
    availableVersion: available?.version,
    availableDigest: available?.manifestDigest,
    ...(to.placement.needsContainer
      ? { endpoint: address.endpoint, addresses: address.addresses, health: "HEALTHY" }
      : noAddress),
    // A container that stays may sleep on.
    asleepSince: generation === app.generation ? app.asleepSince : undefined,
    ...(isChecked(to) ? {} : { health: "HEALTHY" }),
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
    audit: auditEntry(operation, {
      action: `app.${kind}`,
      target: `app:${app.name}`,
      details: { fromVersion: app.version, version, revision, manifestDigest, imageDigest },
    }),
  });
}

/** The transitions to RUNNING. */
const recoveries = ["healthy", "healed"] as const;

function switched(from: AppRecord, to: AppRecord, { kind, actor }: SwitchTarget, at: Date): AppEvent {
  const facts = { fromVersion: from.version, toVersion: to.version, actor: actor ?? null };
  return kind === "rollback"
    ? appEvent("app.rolled_back", to, at, actor, { ...facts, isAutomatic: false, reason: null })
    : appEvent("app.upgraded", to, at, actor, { ...facts, revision: to.revision, generation: to.generation });
}
