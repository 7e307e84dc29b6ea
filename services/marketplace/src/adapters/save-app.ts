import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { recordKeyedWork, uuidv7 } from "@appserver/kernel";
import type { AuditLog, EventEnvelope, Outbox, SqlExecutor, Transaction } from "@appserver/kernel/ports";
import { clone, toBinary } from "@bufbuild/protobuf";
import {
  type AppRecord,
  type AppTransition,
  concurrentKinds,
  type OperationRecord,
  type VersionChange,
} from "../domain/app.ts";
import { isDeletable } from "../domain/app-state.ts";
import { parseCertificate } from "../domain/certificate.ts";
import { OutdatedAppError } from "../domain/outdated-app.ts";
import type { AppChange, AppParticipant, AppRemoval, NewRelease } from "../ports.ts";
import { apps, assets, operations, transitions, versionChanges } from "./app-rows.ts";

export interface ChangeWriters {
  readonly outbox: Outbox;
  readonly audit: Pick<AuditLog, "record">;
  /** CloudEvents source of this process. */
  readonly source: string;
}

/**
 * Prepares what the participants store with a change of the release that serves, or of whether the app is installed. Returns what
 * writes it.
 */
export async function prepareDeclarations(
  participants: readonly AppParticipant[],
  change: AppChange,
  manifestOf: (app: AppRecord) => Promise<AppManifest | undefined>,
): Promise<(tx: Transaction) => Promise<void>> {
  const { app, release } = change;
  const isServed = release?.digest === app.manifestDigest;
  const manifest = isServed ? release.manifest : changesDeclarations(change) ? await manifestOf(app) : undefined;
  if (!manifest) return async () => {};
  const writes = await Promise.all(participants.map(async (participant) => participant.declarations?.({ app, manifest })));
  return async (tx) => {
    for (const write of writes) await write?.(tx);
  };
}

function changesDeclarations({ app, versionChange, transition }: AppChange): boolean {
  if (versionChange && versionChange.kind !== "revert") return true;
  return transition?.to === "INSTALLING" || (transition !== undefined && isDeletable(app));
}

/** Operations of one app that are kept after their end. */
const keptOperations = 100;

/** Writes one change of an app in the caller's transaction: record, release, history, operation, audit and events. */
export async function saveApp(
  tx: Transaction,
  { outbox, audit, source }: ChangeWriters,
  change: AppChange,
): Promise<AppRecord> {
  const app =
    change.expectedRowVersion === undefined
      ? await insertApp(tx, change)
      : await updateApp(tx, change, change.expectedRowVersion);
  if (change.release) {
    await insertRelease(tx, app, change.release);
    await pinCertificate(tx, app, change.release.manifest.certificate);
  }
  if (change.certificate) await pinCertificate(tx, app, change.certificate);
  if (change.versionChange) await insertVersionChange(tx, app, change.versionChange);
  if (change.forget && change.forget.length > 0) await forgetReleases(tx, app, change.forget);
  if (change.transition) await insertTransition(tx, app, change.transition);
  if (change.operation) await storeOperation(tx, app, change.operation);
  if (change.audit) await audit.record(tx, change.audit);
  if (change.events.length > 0)
    await outbox.append(
      tx,
      change.events.map((event) => envelope(event, app, source, change.operation?.id ?? app.target?.operationId)),
    );
  return app;
}

/** Deletes an app in the caller's transaction. Its releases, history, approvals and grants go with its row. */
export async function removeApp(
  tx: Transaction,
  { outbox, audit, source }: ChangeWriters,
  { app, events, audit: entry, operation }: AppRemoval,
): Promise<void> {
  await tx.query(
    `delete from marketplace.operations
     where (app_id = $1 and id <> $2) or (app_id is null and started_at < $3::timestamptz - interval '1 day')`,
    [app.id, operation.id, operation.startedAt],
  );
  await updateOperation(tx, operation);
  const { count } = await tx.query("delete from marketplace.apps where id = $1 and row_version = $2", [app.id, app.rowVersion]);
  if (count === 0) throw new OutdatedAppError(app.name);
  await audit.record(tx, entry);
  await outbox.append(
    tx,
    events.map((event) => envelope(event, app, source, operation.id)),
  );
}

/** Inserts one row. `conflict`: what follows `on conflict`. */
async function insertRow(
  tx: Transaction,
  table: string,
  names: readonly string[],
  values: readonly unknown[],
  conflict?: string,
): Promise<void> {
  const placeholders = values.map((_, index) => `$${index + 1}`).join(", ");
  const insert = `insert into marketplace.${table} (${names.join(", ")}) values (${placeholders})`;
  await tx.query(conflict === undefined ? insert : `${insert} on conflict ${conflict}`, values);
}

async function insertApp(tx: Transaction, { app, routeBase = null }: AppChange): Promise<AppRecord> {
  await insertRow(tx, "apps", [...apps.names(), "route_base"], [...apps.values(app), routeBase]);
  return app;
}

async function updateApp(tx: Transaction, { app: changed, routeBase }: AppChange, expected: number): Promise<AppRecord> {
  const app = { ...changed, rowVersion: expected + 1 };
  const route = routeBase === undefined ? [] : [routeBase];
  const names = [...apps.names(), ...route.map(() => "route_base")];
  const assignments = names.map((name, index) => `${name} = $${index + 3}`).join(", ");
  const { count } = await tx.query(`update marketplace.apps set ${assignments} where id = $1 and row_version = $2`, [
    app.id,
    expected,
    ...apps.values(app),
    ...route,
  ]);
  if (count === 0) throw new OutdatedAppError(app.name);
  if (app.imageDigest !== undefined) await recordImage(tx, app);
  return app;
}

/** Keeps the image with its release, so that a later rollback runs the same one. */
async function recordImage(tx: Transaction, { id, manifestDigest, imageDigest }: AppRecord): Promise<void> {
  await tx.query(
    `update marketplace.manifests set image_digest = $3
     where app_id = $1 and digest = $2 and image_digest is distinct from $3`,
    [id, manifestDigest, imageDigest],
  );
}

async function insertRelease(
  tx: Transaction,
  app: AppRecord,
  { manifest, signature, revision, digest, registeredBy, source }: NewRelease,
): Promise<void> {
  const bare = clone(AppManifestSchema, manifest);
  for (const asset of bare.webApp?.assets ?? []) asset.contents = new Uint8Array(0);
  const stored = Buffer.from(toBinary(AppManifestSchema, bare));
  // The earlier revision with this content, if the version returns to it.
  await tx.query("delete from marketplace.manifests where app_id = $1 and digest = $2 and (version, revision) <> ($3, $4)", [
    app.id,
    digest,
    manifest.version,
    revision,
  ]);
  await tx.query(
    `insert into marketplace.manifests
       (app_id, version, revision, digest, manifest, signature, registered_at, registered_by, source)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb)
     on conflict (app_id, version, revision) do update set manifest = excluded.manifest, signature = excluded.signature`,
    [
      app.id,
      manifest.version,
      revision,
      digest,
      stored,
      signature && Buffer.from(signature),
      app.updatedAt,
      registeredBy ?? null,
      source ? JSON.stringify(source) : null,
    ],
  );
  const algorithm = parseCertificate(manifest.certificate)?.signatureAlgorithm ?? "none";
  for (const { name, mimeType, contents, sha256, signature } of manifest.webApp?.assets ?? []) {
    const signatureAlgorithm = signature.length > 0 ? algorithm : "none";
    const asset = { name, mimeType, size: contents.length, sha256: sha256.toLowerCase(), signatureAlgorithm };
    await insertRow(
      tx,
      "assets",
      ["app_id", "version", "revision", "contents", ...assets.names()],
      [app.id, manifest.version, revision, Buffer.from(contents), ...assets.values(asset)],
      "(app_id, version, revision, name) do nothing",
    );
  }
}

async function insertVersionChange(tx: Transaction, app: AppRecord, change: VersionChange): Promise<void> {
  await tx.query("update marketplace.manifests set served_at = $3 where app_id = $1 and digest = $2", [
    app.id,
    change.manifestDigest,
    change.at,
  ]);
  await insertRow(tx, "version_changes", ["app_id", ...versionChanges.names()], [app.id, ...versionChanges.values(change)]);
  await tx.query(
    `delete from marketplace.version_changes where app_id = $1 and id in (
       select id from marketplace.version_changes where app_id = $1 order by id desc offset $2)`,
    [app.id, keptChanges],
  );
}

/** Entries of the history of one app that are kept. */
const keptChanges = 250;

async function forgetReleases(tx: Transaction, app: AppRecord, digests: readonly string[]): Promise<void> {
  await tx.query("delete from marketplace.manifests where app_id = $1 and digest = any($2)", [app.id, digests]);
}

async function pinCertificate(tx: Transaction, app: AppRecord, certificate: Uint8Array): Promise<void> {
  await tx.query(
    `insert into marketplace.pinned_certificates (app_id, certificate) values ($1, $2)
     on conflict (app_id) do update set certificate = excluded.certificate`,
    [app.id, Buffer.from(certificate)],
  );
}

async function insertTransition(tx: Transaction, app: AppRecord, transition: AppTransition): Promise<void> {
  await insertRow(tx, "transitions", ["app_id", ...transitions.names()], [app.id, ...transitions.values(transition)]);
}

/**
 * Stores an operation in the caller's transaction. It ends those before it, except for a committed switch, whose permissions are
 * still to be granted, and unless both may run at the same time.
 */
async function storeOperation(tx: Transaction, app: AppRecord, operation: OperationRecord): Promise<void> {
  if (!isConcurrent(operation))
    await tx.query(
      `update marketplace.operations set done = true, finished_at = $3,
         error = '{"code": "CANCELED", "message": "another command on the app took its place"}'
       where app_id = $1 and id <> $2 and not done and stage not in ('switch', 'revert')`,
      [app.id, operation.id, operation.startedAt],
    );
  await insertOperation(tx, app, operation);
}

function isConcurrent({ kind }: OperationRecord): boolean {
  return (concurrentKinds as readonly string[]).includes(kind);
}

/** Stores an operation. Those that run continue. */
export async function insertOperation(tx: Transaction, app: AppRecord, operation: OperationRecord): Promise<void> {
  await recordKeyedWork(tx, { operationId: operation.id, appId: app.id });
  const excluded = operations.names(progressFields).map((name) => `${name} = excluded.${name}`);
  await insertRow(
    tx,
    "operations",
    ["app_id", ...operations.names()],
    [app.id, ...operations.values(operation)],
    `(id) do update set ${excluded.join(", ")}`,
  );
  await tx.query(
    `delete from marketplace.operations where app_id = $1 and done and id in (
       select id from marketplace.operations where app_id = $1 order by started_at desc, id desc offset $2)`,
    [app.id, keptOperations],
  );
}

/** What changes of an operation. */
const progressFields = ["stage", "progress", "done", "error", "finishedAt"] as const;

/** Stores how far an operation is. */
export async function updateOperation(executor: SqlExecutor, operation: OperationRecord): Promise<void> {
  const assignments = operations.names(progressFields).map((name, index) => `${name} = $${index + 2}`);
  await executor.query(`update marketplace.operations set ${assignments.join(", ")} where id = $1`, [
    operation.id,
    ...operations.values(operation, progressFields),
  ]);
}

/** Returns the event in the form that the outbox stores. `operationId`: of the operation that it is a step of. */
export function envelope(
  event: AppChange["events"][number],
  app: AppRecord,
  source: string,
  operationId: string | undefined,
): EventEnvelope {
  return {
    id: uuidv7(),
    type: event.type,
    source,
    subject: app.name,
    time: event.body.timestamp,
    ...(event.actor === undefined ? {} : { actor: event.actor }),
    ...(operationId === undefined ? {} : { correlationId: operationId }),
    body: { ...event.body },
  };
}
