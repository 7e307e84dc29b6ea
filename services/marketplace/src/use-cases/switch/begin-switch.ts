import { auditEntry, currentTraceparent, type Initiator } from "@appserver/kernel";
import { type AppRecord, noAddress, type Release, type SwitchKind, type SwitchTarget } from "../../domain/app.ts";
import { appEvent } from "../../domain/app-events.ts";
import type { LiveApp, LiveRelease } from "../../domain/live-app.ts";
import { runsSameBackend } from "../../domain/same-backend.ts";
import type { MarketplaceContext } from "../context.ts";
import { grantForSwitch } from "../grant-permissions.ts";
import { type CommandResult, newOperation } from "../operation.ts";
import { commitSwitch } from "./commit-switch.ts";
import type { completeSwitch } from "./complete-switch.ts";
import type { SwitchedData } from "./data-of-switch.ts";
import { finishSwitch } from "./finish-switch.ts";

export interface SwitchRequest extends Initiator, SwitchedData {
  readonly kind: SwitchKind;
  /** What the app switches to. */
  readonly release: Release;
  readonly to: LiveRelease;
  /** The digest of the configuration that the platform replaces the deployment for. */
  readonly configuration?: string | undefined;
}

/**
 * Starts the switch of an installed app to another release (docs/interface/states.md#switch). Apps that run in containers get a
 * target, which the orchestrator starts; the current release serves until {@link completeSwitch}. Other apps switch at once, and so
 * does an app whose container may run on. Call it under the app's lock.
 */
export async function beginSwitch(
  context: MarketplaceContext,
  live: LiveApp,
  { kind, release, to, actor, client, configuration, snapshotFirst, restoredSnapshot }: SwitchRequest,
): Promise<CommandResult> {
  const { app } = live;
  await grantForSwitch(context, app, live.manifest, to.manifest);
  const at = new Date(context.clock.now());
  const { version, revision, manifestDigest, imageDigest } = release;
  const operation = newOperation(context, { name: app.name, version }, { kind, actor, client, stage: "deploy", startedAt: at });
  const keepsContainer = mayKeepContainer(live, { kind, to, snapshotFirst, restoredSnapshot });
  const target: SwitchTarget = {
    kind,
    version,
    revision,
    manifestDigest,
    imageDigest: keepsContainer ? app.imageDigest : imageDigest,
    // Both versions must not use the data at the same time.
    strategy: restoredSnapshot === undefined ? to.strategy : "replace",
    snapshotFirst,
    restoredSnapshot,
    generation: keepsContainer ? app.generation : app.lastGeneration + 1,
    operationId: operation.id,
    actor,
    configuration,
    traceparent: currentTraceparent(),
  };
  const next: AppRecord = {
    ...app,
    target,
    releaseAwaitingAutoUpgrade: undefined,
    lastGeneration: Math.max(app.lastGeneration, target.generation),
    updatedAt: at,
  };
  if (keepsContainer || !to.placement.needsContainer) {
    const switched = await commitSwitch(context, { app: next, to, address: keepsContainer ? app : noAddress, operation });
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
        actor: actor ?? null,
      }),
    ],
    operation,
    audit: auditEntry(operation, {
      action: `app.${kind}`,
      target: `app:${app.name}`,
      details: { fromVersion: app.version, version, manifestDigest },
    }),
  });
  return { app: saved, operation };
}

/** Returns whether the container that serves stays. A new deployment, and a copy of the data, are for a container that starts. */
function mayKeepContainer(
  live: LiveApp,
  { kind, to, snapshotFirst, restoredSnapshot }: Pick<SwitchRequest, "kind" | "to" | keyof SwitchedData>,
): boolean {
  if (kind === "redeploy" || snapshotFirst || restoredSnapshot !== undefined) return false;
  return live.app.state === "RUNNING" && runsSameBackend(live, to);
}

/** Starts the switch to a new deployment of the release that serves. `pull`: its image is resolved again. */
export async function beginRedeployment(
  context: MarketplaceContext,
  live: LiveApp,
  { pull, ...request }: Pick<SwitchRequest, keyof Initiator | "configuration"> & { readonly pull: boolean },
): Promise<CommandResult> {
  const { name, id, manifestDigest } = live.app;
  const current = (await context.store.releases(id)).find((release) => release.manifestDigest === manifestDigest);
  if (!current) throw new Error(`the release of ${name} that serves is missing`);
  const release = pull ? { ...current, imageDigest: undefined } : current;
  return beginSwitch(context, live, { ...request, kind: "redeploy", release, to: live });
}
