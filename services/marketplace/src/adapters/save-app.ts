import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { uuidv7 } from "@appserver/kernel";
import type { AuditLog, EventEnvelope, Outbox, Transaction } from "@appserver/kernel/ports";
import { clone, toBinary } from "@bufbuild/protobuf";
import type { AppRecord, AppTransition, OperationRecord } from "../domain/app.ts";
import { parseCertificate } from "../domain/certificate.ts";
import { OutdatedAppError } from "../domain/outdated-app.ts";
import type { AppChange } from "../ports.ts";
import { appColumns, appValues } from "./app-rows.ts";

export interface ChangeWriters {
  readonly outbox: Outbox;
  readonly audit: Pick<AuditLog, "record">;
  /** CloudEvents source of this process. */
  readonly source: string;
}

/** Writes one change of an app in the caller's transaction: record, manifest, history, operation, audit and events. */
export async function saveApp(
  tx: Transaction,
  { outbox, audit, source }: ChangeWriters,
  change: AppChange,
): Promise<AppRecord> {
  const app =
    change.expectedRowVersion === undefined
      ? await insertApp(tx, change)
      : await updateApp(tx, change, change.expectedRowVersion);
  if (change.manifest) {
    await insertManifest(tx, app, change.manifest);
    await pinCertificate(tx, app, change.manifest.certificate);
  }
  if (change.transition) await insertTransition(tx, app, change.transition);
  if (change.operation) await upsertOperation(tx, app, change.operation);
  if (change.audit) await audit.record(tx, change.audit);
  if (change.events.length > 0)
    await outbox.append(
      tx,
      change.events.map((event) => envelope(event, app, source)),
    );
  return app;
}

async function insertApp(tx: Transaction, change: AppChange): Promise<AppRecord> {
  const values = appValues(change.app);
  const placeholders = values.map((_, index) => `$${index + 1}`).join(", ");
  await tx.query(`insert into marketplace.apps (${appColumns}, route_base) values (${placeholders}, $${values.length + 1})`, [
    ...values,
    routeBase(change) ?? null,
  ]);
  return change.app;
}

async function updateApp(tx: Transaction, change: AppChange, expected: number): Promise<AppRecord> {
  const app = { ...change.app, rowVersion: expected + 1 };
  const values = appValues(app);
  const assignments = appColumns.split(", ").map((column, index) => `${column} = $${index + 1}`);
  const current = change.manifest !== undefined && change.manifest.version === app.version;
  if (current) assignments.push(`route_base = $${values.length + 2}`);
  const { count } = await tx.query(
    `update marketplace.apps set ${assignments.join(", ")} where id = $1 and row_version = $${values.length + 1}`,
    current ? [...values, expected, routeBase(change) ?? null] : [...values, expected],
  );
  if (count === 0) throw new OutdatedAppError(app.name);
  return app;
}

function routeBase(change: AppChange): string | undefined {
  return change.manifest?.webApp?.ui?.routeBase;
}

async function insertManifest(tx: Transaction, app: AppRecord, manifest: AppManifest): Promise<void> {
  const bare = clone(AppManifestSchema, manifest);
  for (const asset of bare.webApp?.assets ?? []) asset.contents = new Uint8Array(0);
  await tx.query(
    `insert into marketplace.manifests (app_id, version, manifest, registered_at) values ($1, $2, $3, $4)
     on conflict (app_id, version) do update set manifest = excluded.manifest`,
    [app.id, manifest.version, Buffer.from(toBinary(AppManifestSchema, bare)), app.updatedAt],
  );
  const algorithm = parseCertificate(manifest.certificate)?.signatureAlgorithm ?? "none";
  for (const asset of manifest.webApp?.assets ?? []) {
    await tx.query(
      `insert into marketplace.assets (app_id, version, name, mime_type, size, sha256, signature_algorithm, contents)
       values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (app_id, version, name) do nothing`,
      [
        app.id,
        manifest.version,
        asset.name,
        asset.mimeType,
        asset.contents.length,
        asset.sha256.toLowerCase(),
        asset.signature.length > 0 ? algorithm : "none",
        Buffer.from(asset.contents),
      ],
    );
  }
}

async function pinCertificate(tx: Transaction, app: AppRecord, certificate: Uint8Array): Promise<void> {
  await tx.query(
    `insert into marketplace.pinned_certificates (app_id, certificate) values ($1, $2)
     on conflict (app_id) do update set certificate = excluded.certificate`,
    [app.id, Buffer.from(certificate)],
  );
}

async function insertTransition(tx: Transaction, app: AppRecord, transition: AppTransition): Promise<void> {
  await tx.query(
    "insert into marketplace.transitions (app_id, from_state, to_state, reason, actor, at) values ($1, $2, $3, $4, $5, $6)",
    [app.id, transition.from ?? null, transition.to, transition.reason, transition.actor ?? null, transition.at],
  );
}

async function upsertOperation(tx: Transaction, app: AppRecord, operation: OperationRecord): Promise<void> {
  await tx.query(
    `insert into marketplace.operations (app_id, id, kind, stage, progress, done, error, started_at, finished_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (app_id) do update set id = excluded.id, kind = excluded.kind, stage = excluded.stage,
       progress = excluded.progress, done = excluded.done, error = excluded.error,
       started_at = excluded.started_at, finished_at = excluded.finished_at`,
    [
      app.id,
      operation.id,
      operation.kind,
      operation.stage,
      operation.progress,
      operation.done,
      operation.error ? JSON.stringify(operation.error) : null,
      operation.startedAt,
      operation.finishedAt ?? null,
    ],
  );
}

function envelope(event: AppChange["events"][number], app: AppRecord, source: string): EventEnvelope {
  return {
    id: uuidv7(),
    type: event.type,
    source,
    subject: app.name,
    time: event.body.timestamp,
    ...(event.actor === undefined ? {} : { actor: event.actor }),
    body: { ...event.body },
  };
}
