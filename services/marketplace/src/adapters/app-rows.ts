import type {
  AppRecord,
  AppTransition,
  AssetRecord,
  Condition,
  Health,
  OperationRecord,
  Problem,
  Release,
  SwitchTarget,
  VersionChange,
} from "../domain/app.ts";
import type { AppState } from "../domain/app-state.ts";

/** Rows as the driver returns them: snake_case, null for absent values. */
export interface AppRow {
  id: string;
  name: string;
  display_name: string;
  version: string;
  revision: number;
  available_version: string | null;
  available_digest: string | null;
  undecided_digest: string | null;
  state: AppState;
  enabled: boolean;
  health: Health;
  key_fingerprint: string;
  certificate_fingerprint: string;
  manifest_digest: string;
  image_digest: string | null;
  generation: number;
  last_generation: number;
  target: SwitchTarget | null;
  resumes_since: Date | null;
  failed_configuration: string | null;
  endpoint: string | null;
  last_error: Problem | null;
  conditions: Condition[];
  registered_at: Date;
  installed_at: Date | null;
  updated_at: Date;
  row_version: number;
}

export const appColumns =
  "id, name, display_name, version, revision, available_version, available_digest, undecided_digest, state, enabled, health, " +
  "key_fingerprint, certificate_fingerprint, manifest_digest, image_digest, generation, last_generation, target, resumes_since, failed_configuration, endpoint, " +
  "last_error, conditions, registered_at, installed_at, updated_at, row_version";

export function toApp(row: AppRow): AppRecord {
  return {
    id: row.id,
    name: row.name,
    displayName: row.display_name,
    version: row.version,
    revision: row.revision,
    availableVersion: row.available_version ?? undefined,
    availableDigest: row.available_digest ?? undefined,
    undecidedDigest: row.undecided_digest ?? undefined,
    state: row.state,
    enabled: row.enabled,
    health: row.health,
    keyFingerprint: row.key_fingerprint,
    certificateFingerprint: row.certificate_fingerprint,
    manifestDigest: row.manifest_digest,
    imageDigest: row.image_digest ?? undefined,
    generation: row.generation,
    lastGeneration: row.last_generation,
    target: row.target ?? undefined,
    resumesSince: row.resumes_since ?? undefined,
    failedConfiguration: row.failed_configuration ?? undefined,
    endpoint: row.endpoint ?? undefined,
    lastError: row.last_error ?? undefined,
    conditions: row.conditions,
    registeredAt: row.registered_at,
    installedAt: row.installed_at ?? undefined,
    updatedAt: row.updated_at,
    rowVersion: row.row_version,
  };
}

/** Returns the values in the order of {@link appColumns}. */
export function appValues(app: AppRecord): readonly unknown[] {
  return [
    app.id,
    app.name,
    app.displayName,
    app.version,
    app.revision,
    app.availableVersion ?? null,
    app.availableDigest ?? null,
    app.undecidedDigest ?? null,
    app.state,
    app.enabled,
    app.health,
    app.keyFingerprint,
    app.certificateFingerprint,
    app.manifestDigest,
    app.imageDigest ?? null,
    app.generation,
    app.lastGeneration,
    app.target ? JSON.stringify(app.target) : null,
    app.resumesSince ?? null,
    app.failedConfiguration ?? null,
    app.endpoint ?? null,
    app.lastError ? JSON.stringify(app.lastError) : null,
    JSON.stringify(app.conditions),
    app.registeredAt,
    app.installedAt ?? null,
    app.updatedAt,
    app.rowVersion,
  ];
}

export interface TransitionRow {
  from_state: AppState | null;
  to_state: AppState;
  reason: string;
  actor: string | null;
  at: Date;
}

export function toTransition(row: TransitionRow): AppTransition {
  return { from: row.from_state ?? undefined, to: row.to_state, reason: row.reason, actor: row.actor ?? undefined, at: row.at };
}

export interface AssetRow {
  name: string;
  mime_type: string;
  size: number;
  sha256: string;
  signature_algorithm: string;
}

export function toAsset(row: AssetRow): AssetRecord {
  return {
    name: row.name,
    mimeType: row.mime_type,
    size: row.size,
    sha256: row.sha256,
    signatureAlgorithm: row.signature_algorithm,
  };
}

export interface ReleaseRow {
  version: string;
  revision: number;
  digest: string;
  image_digest: string | null;
  registered_at: Date;
  registered_by: string | null;
  served_at: Date | null;
}

export const releaseColumns = "version, revision, digest, image_digest, registered_at, registered_by, served_at";

export function toRelease(row: ReleaseRow): Release {
  return {
    version: row.version,
    revision: row.revision,
    manifestDigest: row.digest,
    imageDigest: row.image_digest ?? undefined,
    registeredAt: row.registered_at,
    registeredBy: row.registered_by ?? undefined,
    servedAt: row.served_at ?? undefined,
  };
}

export interface VersionChangeRow {
  kind: VersionChange["kind"];
  from_version: string | null;
  version: string;
  revision: number;
  digest: string;
  image_digest: string | null;
  actor: string | null;
  reason: string | null;
  at: Date;
}

export function toVersionChange(row: VersionChangeRow): VersionChange {
  return {
    kind: row.kind,
    fromVersion: row.from_version ?? undefined,
    version: row.version,
    revision: row.revision,
    manifestDigest: row.digest,
    imageDigest: row.image_digest ?? undefined,
    actor: row.actor ?? undefined,
    reason: row.reason ?? undefined,
    at: row.at,
  };
}

export interface OperationRow {
  id: string;
  app_name: string;
  kind: OperationRecord["kind"];
  version: string;
  actor: string | null;
  stage: string;
  progress: number;
  done: boolean;
  error: Problem | null;
  started_at: Date;
  finished_at: Date | null;
}

export const operationColumns = "id, app_name, kind, version, actor, stage, progress, done, error, started_at, finished_at";

export function toOperation(row: OperationRow): OperationRecord {
  return {
    id: row.id,
    appName: row.app_name,
    kind: row.kind,
    version: row.version,
    actor: row.actor ?? undefined,
    stage: row.stage,
    progress: row.progress,
    done: row.done,
    error: row.error ?? undefined,
    startedAt: row.started_at,
    finishedAt: row.finished_at ?? undefined,
  };
}
