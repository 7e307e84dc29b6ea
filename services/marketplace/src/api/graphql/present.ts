import { entityTag, subresourceIntegrity } from "@appserver/contracts/assets";
import type { StoredDatabase, DeploymentEvent as StoredEvent } from "@appserver/contracts/deployments";
import { objectOf } from "@appserver/contracts/graphql";
import type {
  ApiDescription,
  App,
  AppDatabase,
  AppDependency,
  AppImage,
  AppPermission,
  AppRelease,
  AppStorage,
  AppUi,
  Asset,
  Deployment,
  DeploymentEvent,
  FrontendPage,
  AppApi as GraphqlApi,
  ClosedApp as GraphqlClosedApp,
  GalleryApp as GraphqlGalleryApp,
  AppTransition as GraphqlTransition,
  NavigationRoute,
  Operation,
  PageScript,
  PlanStep,
  ReleaseSource,
  VersionChange,
} from "@appserver/contracts/graphql/types";
import type { AppApi } from "@appserver/contracts/manifest";
import { apiPath, renderedPath } from "@appserver/contracts/patterns";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import type { PipelineRun } from "@appserver/kernel";
import type { DescriptionStatus } from "../../domain/api-description/description-reading.ts";
import type {
  AppRecord,
  AppTransition,
  AssetRecord,
  OperationRecord,
  VersionChange as StoredChange,
} from "../../domain/app.ts";
import type { AppImage as DeclaredImage } from "../../domain/app-image.ts";
import type { PlanStep as PlannedStep } from "../../domain/install-plan.ts";
import { isScript } from "../../domain/manifest/check-entry.ts";
import { placementOf } from "../../domain/placement.ts";
import { approvalOf, isApproved, type Requirement } from "../../domain/required-permissions.ts";
import type { Approval } from "../../ports.ts";
import type { OfferedApp } from "../../use-cases/gallery/read-gallery.ts";
import type { DependencyView, ExplainedDeployment, ReleaseView, StorageView } from "../../use-cases/read-app-parts.ts";
import { type ClosedApp, iconOf } from "../../use-cases/read-closed-apps.ts";
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
  | "image"
  | "deployment"
  | "operation"
  | "history"
  | "deploymentEvents"
  | "releases"
  | "versionHistory"
  | "storage"
  | "database"
>;

export function image(of: DeclaredImage | undefined): AppImage | null {
  return of ? { digest: of.digest ?? null } : null;
}

export function planStep({ image: planned, ...step }: PlannedStep): PlanStep {
  return objectOf({ ...step, image: image(planned) });
}

export function appScalars(app: AppRecord): AppScalars {
  return objectOf({ ...app, appId: app.id });
}

export function permission(requirement: Requirement, approvals: readonly Approval[]): AppPermission {
  const { approvedBy, approvedAt } = approvalOf(requirement, approvals) ?? {};
  const approved = isApproved(requirement, approvals);
  return objectOf({ ...requirement, requiresApproval: requirement.needsApproval, approved, approvedBy, approvedAt });
}

export function dependency({ declared, target, satisfied }: DependencyView): AppDependency {
  const kind = declared.kind === DependencyKind.HARD ? "HARD" : "SOFT";
  return objectOf({ ...declared, kind, resolvedVersion: target?.version, satisfied });
}

export function asset(appName: string, record: AssetRecord, url: string): Asset {
  const { sha256 } = record;
  return objectOf({ ...record, appName, integrity: subresourceIntegrity(sha256), etag: entityTag(sha256), url });
}

const modes: Readonly<Record<number, AppUi["mode"]>> = {
  [UIMode.UI_MODE_FEDERATION]: "FEDERATION",
  [UIMode.UI_MODE_WEB_COMPONENT]: "WEB_COMPONENT",
  [UIMode.UI_MODE_ESM_COMPONENT]: "ESM_COMPONENT",
};

export function ui(manifest: AppManifest, entryAsset: Asset, navigation: readonly NavigationRoute[]): AppUi | null {
  const declared = manifest.webApp?.ui;
  if (!declared) return null;
  return objectOf({ ...declared, mode: modes[declared.mode] ?? "ESM_COMPONENT", entryAsset, navigation });
}

/** Returns the URL of an asset of one release. */
export type AssetUrl = (appName: string, manifestDigest: string, assetName: string) => string;

/** What the resolvers of {@link FrontendPage} add is read only if a query selects it. */
export type PageNode = Omit<FrontendPage, "sandboxed" | "permissions" | "scripts"> & Pick<AppPage, "app" | "manifest">;

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
    description: app.description,
    version: app.version,
    mode: modes[declared.mode] ?? "ESM_COMPONENT",
    ...pageScript(app, entry, assetUrl),
    exposedModule: declared.exposedModule,
    renderedUrl: placementOf(manifest).rendersPages ? renderedPath(app.name) : null,
    routeBase: declared.routeBase,
    translations: translationsOf(manifest),
    state: app.state,
    navigation: navigation.map(visibleRoute),
  };
}

function translationsOf({ translations }: AppManifest): object {
  const shown = Object.entries(translations).map(([language, { displayName, description, titles }]) => [
    language,
    { displayName: displayName || null, description: description || null, titles },
  ]);
  return Object.fromEntries(shown);
}

export function galleryApp({ manifest, obstacle }: OfferedApp): Omit<GraphqlGalleryApp, "app"> {
  const { name, displayName, description, webApp } = manifest;
  return {
    name,
    displayName,
    description: description || null,
    icon: iconOf(webApp?.ui?.navigation ?? []) ?? null,
    translations: translationsOf(manifest),
    obstacle: obstacle ?? null,
  };
}

export function closedApp({ app, manifest, icon, permissions, hasOpenPages }: ClosedApp): GraphqlClosedApp {
  const { name, displayName, description } = app;
  const routeBase = manifest.webApp?.ui?.routeBase ?? "";
  return { name, displayName, description, icon, routeBase, permissions, hasOpenPages };
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

export function visibleRoute({ route, children }: VisibleRoute): NavigationRoute {
  return objectOf({ ...route, children: children.map(visibleRoute) });
}

export function api(appName: string, declared: AppApi, breaker: GraphqlApi["breaker"]): Omit<GraphqlApi, "description"> {
  return objectOf<Omit<GraphqlApi, "description">>({ ...declared, publicUrl: apiPath(appName), breaker });
}

export function apiDescription(status: DescriptionStatus): ApiDescription {
  return objectOf(status);
}

export function deployment(view: ExplainedDeployment): Deployment {
  return objectOf(view);
}

export function deploymentEvent(event: StoredEvent): DeploymentEvent {
  return objectOf(event);
}

export function storage({ stored, ...declared }: StorageView): AppStorage {
  const { createdAt, usedBytes, measuredAt } = stored ?? {};
  return objectOf({ ...declared, createdAt, usedBytes, measuredAt });
}

export function database(stored: StoredDatabase): AppDatabase {
  return objectOf(stored);
}

export function operation(record: OperationRecord): Operation {
  return objectOf(record);
}

export function transition(step: AppTransition): GraphqlTransition {
  return objectOf(step);
}

export function release({ release: { source, ...stored }, isCurrent }: ReleaseView): AppRelease {
  return objectOf({ ...stored, isCurrent, source: source ? releaseSource(source) : null });
}

function releaseSource({ provider, ...run }: PipelineRun): ReleaseSource {
  return objectOf({ ...run, provider: provider.toUpperCase() as ReleaseSource["provider"] });
}

const changeKinds = {
  install: "INSTALL",
  upgrade: "UPGRADE",
  rollback: "ROLLBACK",
  redeploy: "REDEPLOY",
  revert: "REVERT",
} as const;

export function versionChange(change: StoredChange): VersionChange {
  return objectOf({ ...change, kind: changeKinds[change.kind] });
}
