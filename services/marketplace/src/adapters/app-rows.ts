import { column, columns, json } from "@appserver/kernel";
import type { AppRecord, AppTransition, AssetRecord, OperationRecord, Release, VersionChange } from "../domain/app.ts";

/** A digest of a manifest, which the tables of releases call `digest`. */
const digest = { name: "digest" };

/** The columns of `marketplace.apps`, without `route_base`. */
export const apps = columns<AppRecord>({
  id: column,
  name: column,
  displayName: column,
  description: column,
  version: column,
  revision: column,
  availableVersion: column,
  availableDigest: column,
  releaseAwaitingAutoUpgrade: column,
  state: column,
  enabled: column,
  health: column,
  keyFingerprint: column,
  certificateFingerprint: column,
  manifestDigest: column,
  imageDigest: column,
  generation: column,
  lastGeneration: column,
  target: json,
  requestsBufferedSince: column,
  failedConfiguration: column,
  endpoint: column,
  addresses: column,
  asleepSince: column,
  lastError: json,
  conditions: json,
  clonedFrom: json,
  registeredAt: column,
  installedAt: column,
  updatedAt: column,
  rowVersion: column,
});

export const releases = columns<Release>({
  version: column,
  revision: column,
  manifestDigest: digest,
  imageDigest: column,
  registeredAt: column,
  registeredBy: column,
  source: json,
  servedAt: column,
});

export const versionChanges = columns<VersionChange>({
  kind: column,
  fromVersion: column,
  version: column,
  revision: column,
  manifestDigest: digest,
  imageDigest: column,
  actor: column,
  reason: column,
  at: column,
});

export const transitions = columns<AppTransition>({
  from: { name: "from_state" },
  to: { name: "to_state" },
  reason: column,
  actor: column,
  at: column,
});

export const operations = columns<Omit<OperationRecord, "reason">>({
  id: column,
  appName: column,
  kind: column,
  version: column,
  actor: column,
  client: column,
  stage: column,
  progress: column,
  done: column,
  error: json,
  startedAt: column,
  finishedAt: column,
});

export const assets = columns<AssetRecord>({
  name: column,
  mimeType: column,
  size: column,
  sha256: column,
  signatureAlgorithm: column,
});
