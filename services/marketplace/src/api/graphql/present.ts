import { entityTag, subresourceIntegrity } from "@appserver/contracts/assets";
import type { StoredDatabase, DeploymentEvent as StoredEvent } from "@appserver/contracts/deployments";
import { objectOf } from "@appserver/contracts/graphql";
import type {
  App,
  AppDatabase,
  AppDependency,
  AppPermission,
  AppRelease,
  AppStorage,
  AppUi,
  Asset,
  Deployment,
  DeploymentEvent,
  FrontendPage,
  AppApi as GraphqlApi,
  AppTransition as GraphqlTransition,
  NavigationRoute,
  Operation,
  PageScript,
  Problem,
  VersionChange,
} from "@appserver/contracts/graphql/types";
import type { AppApi } from "@appserver/contracts/manifest";
import { apiPath, renderedPath } from "@appserver/contracts/patterns";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type NavigationRoute as ManifestRoute, UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import type {
  AppRecord,
  AppTransition,
  AssetRecord,
  OperationRecord,
  VersionChange as StoredChange,
  Problem as StoredProblem,
} from "../../domain/app.ts";
import { isScript } from "../../domain/manifest/check-entry.ts";
import { placementOf } from "../../domain/placement.ts";
import { approvalOf, isApproved, type Requirement } from "../../domain/required-permissions.ts";
import type { Approval } from "../../ports.ts";
import type { ExplainedDeployment, ReleaseView, StorageView } from "../../use-cases/read-app-parts.ts";
import type { AppPage, VisibleRoute } from "../../use-cases/read-navigation.ts";

/** The fields of an App that can be computed from its record alone. */
export type AppScalars = Omit<
  App,
  | "requiredPermissions"
  | "dependencies"
  | "conditions"
  | "certificateExpiresAt"
  | "ui"
  | "api"
  | "assets"
  | "deployment"
  | "operation"
  | "history"
  | "deploymentEvents"
  | "releases"
  | "versionHistory"
  | "storage"
  | "database"
>;

export function appScalars(app: AppRecord): AppScalars {
  return {
    id: app.id,
    appId: app.id,
    name: app.name,
    displayName: app.displayName,
    version: app.version,
    revision: app.revision,
    availableVersion: app.availableVersion ?? null,
    availableDigest: app.availableDigest ?? null,
    state: app.state,
    enabled: app.enabled,
    health: app.health,
    registeredAt: app.registeredAt.toISOString(),
    installedAt: app.installedAt?.toISOString() ?? null,
    updatedAt: app.updatedAt.toISOString(),
    manifestDigest: app.manifestDigest,
    certificateFingerprint: app.certificateFingerprint,
    lastError: problem(app.lastError),
  };
}

export function problem(stored: StoredProblem | undefined): Problem | null {
  return stored ? { code: stored.code, message: stored.message, details: stored.details ?? null } : null;
}

export function permission(requirement: Requirement, approvals: readonly Approval[]): AppPermission {
  const { scope, resourceType, reason, needsApproval } = requirement;
  const approval = approvalOf(requirement, approvals);
  return {
    scope,
    resourceType,
    reason,
    requiresApproval: needsApproval,
    approved: isApproved(requirement, approvals),
    approvedBy: approval?.approvedBy ?? null,
    approvedAt: approval?.approvedAt.toISOString() ?? null,
  };
}

export function dependency(
  declared: AppManifest["dependencies"][number],
  target: AppRecord | undefined,
  satisfied: boolean,
): AppDependency {
  return {
    appName: declared.appName,
    kind: declared.kind === DependencyKind.HARD ? "HARD" : "SOFT",
    versionConstraint: declared.versionConstraint ?? null,
    resolvedVersion: target?.version ?? null,
    satisfied,
  };
}

export function asset(appName: string, record: AssetRecord, url: string): Asset {
  return {
    appName,
    name: record.name,
    mimeType: record.mimeType,
    size: record.size,
    sha256: record.sha256,
    integrity: subresourceIntegrity(record.sha256),
    etag: entityTag(record.sha256),
    url,
    signatureAlgorithm: record.signatureAlgorithm,
  };
}

const modes: Readonly<Record<number, AppUi["mode"]>> = {
  [UIMode.UI_MODE_FEDERATION]: "FEDERATION",
  [UIMode.UI_MODE_WEB_COMPONENT]: "WEB_COMPONENT",
  [UIMode.UI_MODE_ESM_COMPONENT]: "ESM_COMPONENT",
};

export function ui(manifest: AppManifest, entryAsset: Asset, navigation: readonly NavigationRoute[]): AppUi | null {
  const declared = manifest.webApp?.ui;
  if (!declared) return null;
  return {
    mode: modes[declared.mode] ?? "ESM_COMPONENT",
    entryAsset,
    exposedModule: declared.exposedModule ?? null,
    routeBase: declared.routeBase,
    ssr: declared.ssr,
    navigation,
  };
}

/** Returns the URL of an asset of one release. */
export type AssetUrl = (appName: string, manifestDigest: string, assetName: string) => string;

/** What the resolvers of {@link FrontendPage} add is read only if a query selects it. */
export type PageNode = Omit<FrontendPage, "sandboxed" | "scripts"> & Pick<AppPage, "app" | "manifest">;

/** Undefined for an app without a page. */
export function frontendPage({ app, manifest, navigation }: AppPage, assetUrl: AssetUrl): PageNode | undefined {
  const declared = manifest.webApp?.ui;
  const entry = manifest.webApp?.assets.find(({ name }) => name === declared?.entryAssetName);
  if (!declared || !entry) return undefined;
  return {
    app,
    manifest,
    name: app.name,
    displayName: app.displayName,
    version: app.version,
    mode: modes[declared.mode] ?? "ESM_COMPONENT",
    ...pageScript(app, entry, assetUrl),
    exposedModule: declared.exposedModule ?? null,
    renderedUrl: placementOf(manifest).rendersPages ? renderedPath(app.name) : null,
    routeBase: declared.routeBase,
    state: app.state,
    navigation: navigation.map(visibleRoute),
  };
}

/** Returns every script of the release that serves. */
export function pageScripts({ app, manifest }: PageNode, assetUrl: AssetUrl): readonly PageScript[] {
  return (manifest.webApp?.assets ?? [])
    .filter(({ mimeType }) => isScript(mimeType))
    .map((asset) => pageScript(app, asset, assetUrl));
}

function pageScript(
  { name, manifestDigest }: AppPage["app"],
  asset: { readonly name: string; readonly sha256: string },
  assetUrl: AssetUrl,
): Pick<PageScript, "integrity" | "url"> {
  return { url: assetUrl(name, manifestDigest, asset.name), integrity: subresourceIntegrity(asset.sha256.toLowerCase()) };
}

function navigationRoute(route: ManifestRoute, children: readonly NavigationRoute[]): NavigationRoute {
  return {
    title: route.title,
    href: route.href,
    icon: route.icon ?? null,
    requiredPermissions: route.requiredPermissions,
    children,
    metadata: route.metadata,
  };
}

export function visibleRoute({ route, children }: VisibleRoute): NavigationRoute {
  return navigationRoute(route, children.map(visibleRoute));
}

export function api(appName: string, declared: AppApi, breaker: GraphqlApi["breaker"]): GraphqlApi {
  return {
    basePath: declared.basePath,
    publicUrl: apiPath(appName),
    upstreamBaseUrl: declared.upstreamBaseUrl,
    openapiUrl: declared.openapiUrl ?? null,
    forwardHeaders: [...declared.forwardHeaders],
    breaker,
    routes: declared.routes.map(({ rateLimit, ...route }) => ({
      ...route,
      rateLimit: rateLimit ? { ...rateLimit, burst: rateLimit.burst ?? null } : null,
    })),
  };
}

export function deployment(view: ExplainedDeployment): Deployment {
  return objectOf(view);
}

export function deploymentEvent(event: StoredEvent): DeploymentEvent {
  return objectOf({ ...event, error: problem(event.error) });
}

export function storage({ name, mountPath, size, declared, stored }: StorageView): AppStorage {
  return {
    name,
    mountPath,
    size,
    declared,
    createdAt: stored?.createdAt.toISOString() ?? null,
    usedBytes: stored?.usedBytes ?? null,
    measuredAt: stored?.measuredAt?.toISOString() ?? null,
  };
}

export function database({ usedBytes, limitBytes, fullSince, measuredAt }: StoredDatabase): AppDatabase {
  return { usedBytes, limitBytes, fullSince: fullSince?.toISOString() ?? null, measuredAt: measuredAt.toISOString() };
}

export function operation(record: OperationRecord): Operation {
  return {
    id: record.id,
    appName: record.appName,
    kind: record.kind,
    version: record.version,
    actor: record.actor ?? null,
    stage: record.stage,
    progress: record.progress,
    done: record.done,
    error: problem(record.error),
    reason: record.reason ?? null,
    startedAt: record.startedAt.toISOString(),
    finishedAt: record.finishedAt?.toISOString() ?? null,
  };
}

export function transition({ from, actor, at, ...step }: AppTransition): GraphqlTransition {
  return { ...step, from: from ?? null, actor: actor ?? null, at: at.toISOString() };
}

export function release({ release: stored, isCurrent }: ReleaseView): AppRelease {
  return {
    version: stored.version,
    revision: stored.revision,
    manifestDigest: stored.manifestDigest,
    imageDigest: stored.imageDigest ?? null,
    registeredAt: stored.registeredAt.toISOString(),
    registeredBy: stored.registeredBy ?? null,
    servedAt: stored.servedAt?.toISOString() ?? null,
    isCurrent,
  };
}

const changeKinds = {
  install: "INSTALL",
  upgrade: "UPGRADE",
  rollback: "ROLLBACK",
  redeploy: "REDEPLOY",
  revert: "REVERT",
} as const;

export function versionChange(change: StoredChange): VersionChange {
  return {
    kind: changeKinds[change.kind],
    fromVersion: change.fromVersion ?? null,
    version: change.version,
    revision: change.revision,
    manifestDigest: change.manifestDigest,
    imageDigest: change.imageDigest ?? null,
    actor: change.actor ?? null,
    reason: change.reason ?? null,
    at: change.at.toISOString(),
  };
}
