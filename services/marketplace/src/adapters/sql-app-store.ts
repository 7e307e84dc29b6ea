import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError, isUuid, pageOf } from "@appserver/kernel";
import { type AuditLog, type AuditRecord, type Database, DatabaseError, type Outbox } from "@appserver/kernel/ports";
import { fromBinary } from "@bufbuild/protobuf";
import type { AppRecord, AppTransition, AssetRecord, OperationRecord } from "../domain/app.ts";
import type { AppState } from "../domain/app-state.ts";
import type { AppChange, AppPage, AppQuery, AppStore } from "../ports.ts";
import {
  type AppRow,
  type AssetRow,
  appColumns,
  type OperationRow,
  type TransitionRow,
  toApp,
  toAsset,
  toOperation,
  toTransition,
} from "./app-rows.ts";
import { earlierCertificate } from "./earlier-certificate.ts";
import { saveApp } from "./save-app.ts";

interface ManifestRow {
  app_id: string;
  manifest: Uint8Array;
}

export interface SqlAppStoreOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly audit: Pick<AuditLog, "record">;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
  /** Called after each committed change of an app. Must not reject. */
  readonly onStored: (app: AppRecord) => Promise<void>;
}

/** Stores apps in PostgreSQL, schema `marketplace`. */
export class SqlAppStore implements AppStore {
  readonly #database: Database;
  readonly #options: SqlAppStoreOptions;

  constructor(options: SqlAppStoreOptions) {
    this.#database = options.database;
    this.#options = options;
  }

  findByName(name: string): Promise<AppRecord | undefined> {
    return this.#findOne("name = $1", name);
  }

  async findById(id: string): Promise<AppRecord | undefined> {
    // PostgreSQL fails on a text that is not a UUID, and no app has such an id.
    if (!isUuid(id)) return undefined;
    return this.#findOne("id = $1", id);
  }

  findByKey(keyFingerprint: string): Promise<AppRecord | undefined> {
    return this.#findOne("key_fingerprint = $1", keyFingerprint);
  }

  async #findOne(condition: string, value: string): Promise<AppRecord | undefined> {
    const { rows } = await this.#database.query<AppRow>(`SELECT ${appColumns} FROM marketplace.apps WHERE ${condition}`, [
      value,
    ]);
    return rows[0] && toApp(rows[0]);
  }

  async list(query: AppQuery): Promise<AppPage> {
    const filter = [
      query.names ?? null,
      query.states ?? null,
      query.search === undefined ? null : `%${query.search.replace(/[\\%_]/g, "\\$&")}%`,
    ];
    const where =
      "($1::text[] IS NULL OR name = ANY($1)) AND ($2::text[] IS NULL OR state = ANY($2)) " +
      "AND ($3::text IS NULL OR name ILIKE $3 OR display_name ILIKE $3)";
    const limit = Math.min(query.limit, 1_000_000);
    // C collation: pages use the same order as name comparisons elsewhere.
    const page = await this.#database.query<AppRow>(
      `SELECT ${appColumns} FROM marketplace.apps WHERE ${where} AND ($4::text IS NULL OR name COLLATE "C" > $4)
       ORDER BY name COLLATE "C" LIMIT $5`,
      [...filter, query.after ?? null, limit + 1],
    );
    const count = await this.#database.query<{ count: number }>(
      `SELECT count(*) AS count FROM marketplace.apps WHERE ${where}`,
      filter,
    );
    return { ...pageOf(page.rows.map(toApp), limit), totalCount: count.rows[0]?.count ?? 0 };
  }

  async inStates(states: readonly AppState[]): Promise<readonly AppRecord[]> {
    const { rows } = await this.#database.query<AppRow>(
      `SELECT ${appColumns} FROM marketplace.apps WHERE state = ANY($1) ORDER BY name COLLATE "C"`,
      [states],
    );
    return rows.map(toApp);
  }

  async save(change: AppChange): Promise<AppRecord> {
    const stored = await this.#database
      .transaction((tx) => saveApp(tx, this.#options, change))
      .catch((error: unknown) => {
        if (error instanceof DatabaseError && error.reason === "unique_violation") throw taken(change.app, error);
        throw error;
      });
    await this.#options.onStored(stored);
    return stored;
  }

  async manifest(appId: string, version: string): Promise<AppManifest | undefined> {
    const { rows } = await this.#database.query<ManifestRow>(
      "SELECT app_id, manifest FROM marketplace.manifests WHERE app_id = $1 AND version = $2",
      [appId, version],
    );
    return rows[0] && fromBinary(AppManifestSchema, rows[0].manifest);
  }

  async pinnedCertificate({ id, certificateFingerprint }: AppRecord): Promise<Uint8Array | undefined> {
    const pinned = await this.#database.query<{ certificate: Uint8Array }>(
      "SELECT certificate FROM marketplace.pinned_certificates WHERE app_id = $1",
      [id],
    );
    if (pinned.rows[0]) return new Uint8Array(pinned.rows[0].certificate);
    return earlierCertificate(this.#database, id, certificateFingerprint);
  }

  async manifests(): Promise<ReadonlyMap<string, AppManifest>> {
    const { rows } = await this.#database.query<ManifestRow>(
      "SELECT m.app_id, m.manifest FROM marketplace.manifests m JOIN marketplace.apps a ON a.id = m.app_id AND a.version = m.version",
    );
    return new Map(rows.map((row) => [row.app_id, fromBinary(AppManifestSchema, row.manifest)]));
  }

  async routeBaseOwner(routeBase: string, exceptApp: string): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ name: string }>(
      "SELECT name FROM marketplace.apps WHERE route_base = $1 AND name <> $2",
      [routeBase, exceptApp],
    );
    return rows[0]?.name;
  }

  async assets(appId: string, version: string): Promise<readonly AssetRecord[]> {
    const { rows } = await this.#database.query<AssetRow>(
      `SELECT name, mime_type, size, sha256, signature_algorithm FROM marketplace.assets
       WHERE app_id = $1 AND version = $2 ORDER BY name`,
      [appId, version],
    );
    return rows.map(toAsset);
  }

  async history(appId: string, limit: number): Promise<readonly AppTransition[]> {
    const { rows } = await this.#database.query<TransitionRow>(
      "SELECT from_state, to_state, reason, actor, at FROM marketplace.transitions WHERE app_id = $1 ORDER BY id DESC LIMIT $2",
      [appId, limit],
    );
    return rows.map(toTransition);
  }

  async operation(appId: string): Promise<OperationRecord | undefined> {
    const { rows } = await this.#database.query<OperationRow>(
      "SELECT id, kind, stage, progress, done, error, started_at, finished_at FROM marketplace.operations WHERE app_id = $1",
      [appId],
    );
    return rows[0] && toOperation(rows[0]);
  }

  audit(record: AuditRecord): Promise<void> {
    return this.#database.transaction((tx) => this.#options.audit.record(tx, record));
  }
}

function taken(app: AppRecord, error: DatabaseError): AppError {
  const what: Readonly<Record<string, string>> = {
    apps_name_key: `the name ${app.name} was taken by another registration`,
    apps_key_fingerprint_key: "the certificate's key belongs to another app",
    apps_route_base_key: `the route base of ${app.name} was taken by another app`,
  };
  return new AppError("CONFLICT", what[error.constraint ?? ""] ?? `${app.name} collides with another app`, {
    details: { app: app.name },
    cause: error,
  });
}
