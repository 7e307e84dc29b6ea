// Parts of an app that another use case returned to the caller.

import type {
  DeploymentEvent,
  DeploymentInstance,
  DeploymentRecord,
  HealthPlan,
  StoredStorage,
} from "@appserver/contracts/deployments";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type Call, pageSize } from "@appserver/kernel";
import type { AppRecord, AppTransition, AssetRecord, Release, VersionChange } from "../domain/app.ts";
import { isInstalled } from "../domain/app-state.ts";
import { deploymentReason } from "../domain/deployment-reason.ts";
import { compareTexts } from "../domain/list-differences.ts";
import { compareReleases } from "../domain/planned-release.ts";
import { type Requirement, requirementsOf } from "../domain/required-permissions.ts";
import { satisfies } from "../domain/version-constraint.ts";
import type { Approval } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";

export interface RequiredPermissionsView {
  readonly requirements: readonly Requirement[];
  readonly approvals: readonly Approval[];
}

/** Returns the permissions that the manifest requires, and the approvals of the app. */
export async function readRequiredPermissions(
  { approvals, policy }: MarketplaceContext,
  app: Pick<AppRecord, "id">,
  manifest: AppManifest,
): Promise<RequiredPermissionsView> {
  return { requirements: requirementsOf(manifest, policy.crossAppApproval), approvals: await approvals.approvals(app.id) };
}

export interface DependencyView {
  readonly declared: AppManifest["dependencies"][number];
  /** Undefined if no app has the name. */
  readonly target: AppRecord | undefined;
  /** Whether the target is installed in a version that the constraint allows. */
  readonly satisfied: boolean;
}

export function readDependencies({ apps }: MarketplaceContext, { dependencies }: AppManifest): readonly DependencyView[] {
  return dependencies.map((declared) => {
    const target = apps.get(declared.appName)?.app;
    const satisfied =
      target !== undefined && isInstalled(target.state) && satisfies(target.version, declared.versionConstraint);
    return { declared, target, satisfied };
  });
}

export function readAssets(
  { store }: MarketplaceContext,
  app: Pick<AppRecord, "id" | "manifestDigest">,
): Promise<readonly AssetRecord[]> {
  return store.assets(app.id, app.manifestDigest);
}

export interface ExplainedDeployment extends DeploymentRecord {
  readonly instances: readonly DeploymentInstance[];
  /** Why the app does not run, in one sentence. Undefined while its container is healthy. */
  readonly reason: string | undefined;
  /** Whether the container was created with another configuration than it should have. */
  readonly outOfDate: boolean;
  /** Undefined if the app counts as healthy while it runs, and before its container is created. */
  readonly healthCheck: (HealthPlan & { readonly path: string }) | undefined;
}

/** Returns the orchestrator's record of the app's container, as {@link explainDeployment} shows it. */
export async function readDeployment(
  context: MarketplaceContext,
  app: Pick<AppRecord, "id" | "enabled">,
  call: Call,
): Promise<ExplainedDeployment | undefined> {
  const found = await context.deployments.find(app.id);
  return found && explainDeployment(context, app, found, call);
}

/**
 * Returns what the caller may see of a deployment. What the app printed before a crash is part of its log: without `app:logs` the
 * output is empty.
 */
export async function explainDeployment(
  { permissions }: Pick<MarketplaceContext, "permissions">,
  app: Pick<AppRecord, "enabled">,
  found: DeploymentRecord,
  { caller }: Call,
): Promise<ExplainedDeployment> {
  const { lastCrash, healthPlan, wantedConfiguration, instances = [] } = found;
  const showsOutput = lastCrash === undefined || (await permissions.allowed(caller, "app:logs"));
  return {
    ...found,
    instances,
    lastCrash: showsOutput ? lastCrash : { ...lastCrash, output: [] },
    reason: deploymentReason(found, app.enabled),
    outOfDate: wantedConfiguration !== undefined,
    healthCheck: healthPlan?.path ? { ...healthPlan, path: healthPlan.path } : undefined,
  };
}

/** A storage that the app declares or has. */
export interface StorageView extends Pick<StoredStorage, "name" | "mountPath" | "size"> {
  readonly declared: boolean;
  /** Undefined until it is made for the first container. */
  readonly stored: Pick<StoredStorage, "createdAt" | "usedBytes" | "measuredAt"> | undefined;
}

/** Returns what the manifest declares, and what exists although no manifest declares it any longer. Sorted by name. */
export async function readStorage(
  { deployments }: MarketplaceContext,
  app: Pick<AppRecord, "id">,
  manifest: AppManifest,
): Promise<readonly StorageView[]> {
  const existing = new Map((await deployments.storage(app.id)).map((storage) => [storage.name, storage]));
  const declared = manifest.storage.map(({ name, mountPath, size }) => {
    return { name, mountPath, size, declared: true, stored: existing.get(name) };
  });
  const names = new Set(declared.map(({ name }) => name));
  const kept = [...existing.values()]
    .filter(({ name }) => !names.has(name))
    .map(({ name, mountPath, size, ...stored }) => ({ name, mountPath, size, declared: false, stored }));
  return [...declared, ...kept].sort((a, b) => compareTexts(a.name, b.name));
}

/** Returns the newest transitions, newest first. `first`: 1 to 250, default 20. */
export async function readHistory(
  { store }: MarketplaceContext,
  app: Pick<AppRecord, "id">,
  first: number | null | undefined,
): Promise<readonly AppTransition[]> {
  return store.history(app.id, pageSize(first, 20));
}

/**
 * Returns the newest transitions of deployments of the app, newest first, as long as the history of events has them. `first`: 1 to 250,
 * default 20.
 */
export async function readDeploymentEvents(
  { eventHistory }: Pick<MarketplaceContext, "eventHistory">,
  { name, registeredAt }: Pick<AppRecord, "name" | "registeredAt">,
  first: number | null | undefined,
): Promise<readonly DeploymentEvent[]> {
  const filter = { types: ["DEPLOYMENT_STATE_CHANGED"], appName: name };
  const found = await eventHistory.newest(filter, undefined, pageSize(first, 20));
  // Earlier ones are of a deleted app that had the name.
  return found.filter(({ at }) => at >= registeredAt).map(({ at, data }) => ({ ...deploymentChange(data), at }));
}

/** Returns what `contracts/events` shows of the event. */
function deploymentChange(data: unknown): Omit<DeploymentEvent, "at"> {
  const { from, error, ...change } = data as PresentedChange;
  return { ...change, from: from ?? undefined, error: error ?? undefined };
}

interface PresentedChange extends Pick<DeploymentEvent, "deploymentId" | "to"> {
  readonly from: DeploymentEvent["from"] | null;
  readonly error: DeploymentEvent["error"] | null;
}

export interface ReleaseView {
  readonly release: Release;
  /** Whether this release serves, or would be installed. */
  readonly isCurrent: boolean;
}

/** Returns the releases that are kept, newest first. */
export async function readReleases(
  { store }: MarketplaceContext,
  app: Pick<AppRecord, "id" | "manifestDigest">,
): Promise<readonly ReleaseView[]> {
  const releases = [...(await store.releases(app.id))].sort((a, b) => compareReleases(b, a));
  return releases.map((release) => ({ release, isCurrent: release.manifestDigest === app.manifestDigest }));
}

/** Returns the changes of the release that serves, newest first. `first`: 1 to 250, default 20. */
export async function readVersionHistory(
  { store }: MarketplaceContext,
  app: Pick<AppRecord, "id">,
  first: number | null | undefined,
): Promise<readonly VersionChange[]> {
  return store.versionChanges(app.id, pageSize(first, 20));
}
