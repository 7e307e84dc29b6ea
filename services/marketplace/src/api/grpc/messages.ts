import type { StoredDatabase } from "@appserver/contracts/deployments";
import { apiPath } from "@appserver/contracts/patterns";
import {
  AppState,
  HealthState,
  type Operation,
  OperationSchema,
  PermissionSchema,
  ProblemSchema,
} from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import {
  type App,
  type AppDatabase,
  AppDatabaseSchema,
  AppSchema,
  type AppStorage,
  AppStorageSchema,
  type Release,
  ReleaseSchema,
  type VersionChange,
  VersionChangeSchema,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AppRecord, OperationRecord, Problem, VersionChange as StoredChange } from "../../domain/app.ts";
import type { InstallPlan } from "../../domain/install-plan.ts";
import type { Requirement } from "../../domain/required-permissions.ts";
import type { ReleaseView, StorageView } from "../../use-cases/read-app-parts.ts";

/** Returns the URL of an asset of one release. */
export type AssetUrl = (appName: string, manifestDigest: string, assetName: string) => string;

/** What a message has of an app in addition to its record. */
export interface AppMessageParts {
  readonly manifest: AppManifest;
  readonly certificateExpiresAt: Date | undefined;
  readonly assetUrl: AssetUrl;
}

export function appMessage(app: AppRecord, { manifest, certificateExpiresAt, assetUrl }: AppMessageParts): App {
  const entryName = manifest.webApp?.ui?.entryAssetName;
  const entry = manifest.webApp?.assets.find((asset) => asset.name === entryName);
  return create(AppSchema, {
    id: app.id,
    name: app.name,
    displayName: app.displayName,
    version: app.version,
    revision: app.revision,
    ...(app.availableVersion === undefined ? {} : { availableVersion: app.availableVersion }),
    ...(app.availableDigest === undefined ? {} : { availableDigest: app.availableDigest }),
    state: AppState[app.state],
    enabled: app.enabled,
    health: HealthState[app.health],
    registeredAt: timestampFromDate(app.registeredAt),
    ...(app.installedAt ? { installedAt: timestampFromDate(app.installedAt) } : {}),
    updatedAt: timestampFromDate(app.updatedAt),
    manifestDigest: app.manifestDigest,
    certificateFingerprint: app.certificateFingerprint,
    ...(certificateExpiresAt ? { certificateExpiresAt: timestampFromDate(certificateExpiresAt) } : {}),
    ...(app.lastError ? { lastError: problemMessage(app.lastError) } : {}),
    ...(manifest.webApp?.api ? { apiUrl: apiPath(app.name) } : {}),
    ...(entry ? { entryUrl: assetUrl(app.name, app.manifestDigest, entry.name) } : {}),
  });
}

export function problemMessage(problem: Problem) {
  // Details are always JSON, since they pass through JSON columns and bodies elsewhere.
  return create(ProblemSchema, {
    code: problem.code,
    message: problem.message,
    ...(problem.details ? { details: JSON.parse(JSON.stringify(problem.details)) } : {}),
  });
}

export function permissionMessage({ scope, resourceType, reason }: Requirement) {
  return create(PermissionSchema, { scope, resourceType, reason, requiresApproval: true });
}

export function storageMessage({ name, mountPath, size, declared, stored }: StorageView): AppStorage {
  const { createdAt, usedBytes, measuredAt } = stored ?? {};
  return create(AppStorageSchema, {
    name,
    mountPath,
    size,
    declared,
    ...(createdAt ? { createdAt: timestampFromDate(createdAt) } : {}),
    ...(usedBytes === undefined ? {} : { usedBytes: BigInt(usedBytes) }),
    ...(measuredAt ? { measuredAt: timestampFromDate(measuredAt) } : {}),
  });
}

export function databaseMessage({ usedBytes, limitBytes, fullSince, measuredAt }: StoredDatabase): AppDatabase {
  return create(AppDatabaseSchema, {
    usedBytes: BigInt(usedBytes),
    limitBytes: BigInt(limitBytes),
    ...(fullSince ? { fullSince: timestampFromDate(fullSince) } : {}),
    measuredAt: timestampFromDate(measuredAt),
  });
}

/** What the plans of an installation and of an upgrade share. */
export function planMessage({ steps, blockers, warnings, approvalsNeeded, digest }: PlanParts) {
  return {
    steps: steps.map(({ action, appName, version, manifestDigest, reason }) => ({
      action,
      appName,
      version,
      manifestDigest,
      reason,
    })),
    blockers: blockers.map(problemMessage),
    warnings: warnings.map(problemMessage),
    approvalsNeeded: approvalsNeeded.map(permissionMessage),
    digest,
  };
}

interface PlanParts extends InstallPlan {
  readonly approvalsNeeded: readonly Requirement[];
  readonly digest: string;
}

export function operationMessage(operation: OperationRecord): Operation {
  return create(OperationSchema, {
    id: operation.id,
    appName: operation.appName,
    kind: operation.kind,
    version: operation.version,
    actor: operation.actor ?? "",
    stage: operation.stage,
    progress: operation.progress,
    done: operation.done,
    ...(operation.error ? { error: problemMessage(operation.error) } : {}),
    ...optional({ reason: operation.reason }),
    startedAt: timestampFromDate(operation.startedAt),
    ...(operation.finishedAt ? { finishedAt: timestampFromDate(operation.finishedAt) } : {}),
  });
}

export function releaseMessage({ release, isCurrent }: ReleaseView): Release {
  return create(ReleaseSchema, {
    version: release.version,
    revision: release.revision,
    manifestDigest: release.manifestDigest,
    ...optional({ imageDigest: release.imageDigest, registeredBy: release.registeredBy }),
    registeredAt: timestampFromDate(release.registeredAt),
    ...(release.servedAt ? { servedAt: timestampFromDate(release.servedAt) } : {}),
    isCurrent,
  });
}

export function changeMessage(change: StoredChange): VersionChange {
  const { kind, version, revision, manifestDigest, fromVersion, imageDigest, actor, reason, at } = change;
  return create(VersionChangeSchema, {
    kind,
    version,
    revision,
    manifestDigest,
    ...optional({ fromVersion, imageDigest, actor, reason }),
    at: timestampFromDate(at),
  });
}

/** Leaves out fields that are undefined. */
function optional<T extends Readonly<Record<string, string | undefined>>>(fields: T) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: string;
  };
}
