import { apiPath } from "@appserver/contracts/patterns";
import {
  AppState,
  HealthState,
  type Operation,
  OperationSchema,
  ProblemSchema,
} from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type App, AppSchema } from "@appserver/contracts/proto/appserver/v2/marketplace";
import type { Problem } from "@appserver/kernel";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AppRecord, OperationRecord } from "../../domain/app.ts";

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
    ...(operation.reason === undefined ? {} : { reason: operation.reason }),
    startedAt: timestampFromDate(operation.startedAt),
    ...(operation.finishedAt ? { finishedAt: timestampFromDate(operation.finishedAt) } : {}),
  });
}
