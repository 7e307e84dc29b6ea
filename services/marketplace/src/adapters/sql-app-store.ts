import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError, isUuid, pageOf } from "@appserver/kernel";
import { type AuditLog, type AuditRecord, type Database, DatabaseError, type Outbox } from "@appserver/kernel/ports";
import { fromBinary } from "@bufbuild/protobuf";
import type { AppRecord, AppTransition, AssetRecord, OperationRecord, Release, VersionChange } from "../domain/app.ts";
import type { AppPage, AppQuery } from "../domain/app-query.ts";
import type { AppChange, AppMemory, AppParticipant, AppRemoval, AppStore, RouteBaseOwner, SignedRelease } from "../ports.ts";
import { filterOf, orderOf, pageOfList } from "./app-list.ts";
import { apps, assets, operations, releases, transitions, versionChanges } from "./app-rows.ts";
import { RecentApps } from "./recent-apps.ts";
import { insertOperation, prepareDeclarations, removeApp, saveApp, updateOperation } from "./save-app.ts";

export interface SqlAppStoreOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly audit: Pick<AuditLog, "record">;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
  readonly participants: readonly AppParticipant[];
  /** Receives each committed change. */
  readonly memory: AppMemory;
}

/** The row and its version. Every change of a row gives it another `xmin`. */
const keyColumn = "id || ' ' || xmin";

/** Contents are stored uncompressed, so that PostgreSQL reads a part of them alone. */
const partBytes = 256 * 1024;

/** Stores apps in PostgreSQL, schema `marketplace`. */
export class SqlAppStore implements AppStore {
  readonly #database: Database;
  /** Whole rows cost a list more than everything else, and seldom change. */
  readonly #recent = new RecentApps();
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

  /** One statement for a short row if the app is known in its current version, otherwise two. */
  async #findOne(condition: string, value: string): Promise<AppRecord | undefined> {
    const from = `from marketplace.apps where ${condition}`;
    const { rows } = await this.#database.query<{ readonly key: string }>(`select ${keyColumn} as key ${from}`, [value]);
    const known = rows[0] && this.#recent.all([rows[0].key]);
    return rows[0] && (known?.[0] ?? (await this.#read(from, [value]))[0]);
  }

  async #read(from: string, values: readonly unknown[]): Promise<readonly AppRecord[]> {
    const { rows } = await this.#database.query<{ readonly key: string }>(
      `select ${keyColumn} as key, ${apps.selected} ${from}`,
      values,
    );
    return rows.map((row) => {
      const app = apps.record(row);
      this.#recent.keep(row.key, app);
      return app;
    });
  }

  async list(query: AppQuery): Promise<AppPage> {
    const filter = filterOf(query);
    const limit = Math.min(query.limit, 1_000_000);
    const where = pageOfList(query);
    const order = orderOf(query);
    const page = `from marketplace.apps where ${where.text} order by ${order} limit ${limit + 1}`;
    const found = await this.#page(page, order, where.values);
    const totalCount = async (): Promise<number> => {
      const { rows } = await this.#database.query<{ count: number }>(
        `select count(*)::int as count from marketplace.apps where ${filter.text}`,
        filter.values,
      );
      return rows[0]?.count ?? 0;
    };
    return { ...pageOf(found, limit), totalCount };
  }

  /** One statement if every app of the page is known in its current version, otherwise two. */
  async #page(page: string, order: string, values: readonly unknown[]): Promise<readonly AppRecord[]> {
    // As one text: the driver needs as long for fifty small rows as for the rest of the list.
    const found = await this.#database.query<{ keys: string | null }>(
      `select string_agg(key, ',' order by ${order}) as keys
       from (select ${keyColumn} as key, name, state, updated_at ${page}) as page`,
      values,
    );
    const keys = found.rows[0]?.keys;
    const known = keys ? this.#recent.all(keys.split(",")) : [];
    return known ?? this.#read(page, values);
  }

  async save(change: AppChange): Promise<AppRecord> {
    const { participants, memory } = this.#options;
    const manifestOf = async (app: AppRecord) => memory.manifestOf(app) ?? this.manifest(app.id, app.manifestDigest);
    const declare = await prepareDeclarations(participants, change, manifestOf);
    const stored = await this.#database
      .transaction(async (tx) => {
        const saved = await saveApp(tx, this.#options, change);
        await declare(tx);
        return saved;
      })
      .catch((error: unknown) => {
        if (error instanceof DatabaseError && error.reason === "unique_violation") throw taken(change.app, error);
        throw error;
      });
    await memory.stored(stored);
    return stored;
  }

  async remove(removal: AppRemoval): Promise<void> {
    await this.#database.transaction((tx) => removeApp(tx, this.#options, removal));
    await this.#options.memory.removed(removal.app);
  }

  async manifest(appId: string, digest: string): Promise<AppManifest | undefined> {
    const { rows } = await this.#database.query<{ manifest: Uint8Array }>(
      "select manifest from marketplace.manifests where app_id = $1 and digest = $2",
      [appId, digest],
    );
    return rows[0] && fromBinary(AppManifestSchema, rows[0].manifest);
  }

  async signedRelease(appId: string, digest: string): Promise<SignedRelease | undefined> {
    const { rows } = await this.#database.query<{ manifest: Uint8Array; signature: Uint8Array | null }>(
      "select manifest, signature from marketplace.manifests where app_id = $1 and digest = $2",
      [appId, digest],
    );
    const [row] = rows;
    return row && { manifest: fromBinary(AppManifestSchema, row.manifest), signature: row.signature ?? undefined };
  }

  async *assetContents(appId: string, digest: string, assetName: string): AsyncGenerator<Uint8Array> {
    for (let from = 1; ; from += partBytes) {
      const { rows } = await this.#database.query<{ part: Uint8Array }>(
        `select substring(contents from $4 for $5) as part
         from marketplace.assets join marketplace.manifests using (app_id, version, revision)
         where app_id = $1 and digest = $2 and name = $3`,
        [appId, digest, assetName, from, partBytes],
      );
      const part = rows[0]?.part;
      if (part && part.length > 0) yield part;
      if (!part || part.length < partBytes) return;
    }
  }

  async releases(appId: string): Promise<readonly Release[]> {
    const { rows } = await this.#database.query<object>(
      `select ${releases.selected} from marketplace.manifests where app_id = $1 order by registered_at desc, revision desc`,
      [appId],
    );
    return rows.map(releases.record);
  }

  async routeBaseOwner(routeBase: string, exceptApp: string): Promise<RouteBaseOwner | undefined> {
    const { rows } = await this.#database.query<RouteBaseOwner>(
      `select name, route_base as path from marketplace.apps
       where marketplace.path_range(route_base || '/', route_base || '0') && marketplace.path_range($1 || '/', $1 || '0')
         and route_base is not null and name <> $2 limit 1`,
      [routeBase, exceptApp],
    );
    return rows[0];
  }

  async assets(appId: string, digest: string): Promise<readonly AssetRecord[]> {
    const { rows } = await this.#database.query<object>(
      `select ${assets.selected} from marketplace.assets join marketplace.manifests using (app_id, version, revision)
       where app_id = $1 and digest = $2 order by name`,
      [appId, digest],
    );
    return rows.map(assets.record);
  }

  async history(appId: string, limit: number): Promise<readonly AppTransition[]> {
    const { rows } = await this.#database.query<object>(
      `select ${transitions.selected} from marketplace.transitions where app_id = $1 order by id desc limit $2`,
      [appId, limit],
    );
    return rows.map(transitions.record);
  }

  async versionChanges(appId: string, limit: number): Promise<readonly VersionChange[]> {
    const { rows } = await this.#database.query<object>(
      `select ${versionChanges.selected} from marketplace.version_changes where app_id = $1 order by id desc limit $2`,
      [appId, limit],
    );
    return rows.map(versionChanges.record);
  }

  async operation(appId: string): Promise<OperationRecord | undefined> {
    const { rows } = await this.#database.query<object>(
      `select ${operations.selected} from marketplace.operations where app_id = $1 order by done, started_at desc, id desc limit 1`,
      [appId],
    );
    return rows[0] && operations.record(rows[0]);
  }

  async operationById(id: string): Promise<OperationRecord | undefined> {
    // PostgreSQL fails on a text that is not a UUID, and no operation has such an id.
    if (!isUuid(id)) return undefined;
    const { rows } = await this.#database.query<object>(
      `select ${operations.selected} from marketplace.operations where id = $1`,
      [id],
    );
    return rows[0] && operations.record(rows[0]);
  }

  async unfinished(appId?: string): Promise<readonly OperationRecord[]> {
    const { rows } = await this.#database.query<object>(
      `select ${operations.selected} from marketplace.operations
       where not done and app_id is not null and ($1::uuid is null or app_id = $1) order by started_at`,
      [appId ?? null],
    );
    return rows.map(operations.record);
  }

  addOperation(app: AppRecord, operation: OperationRecord, audit?: AuditRecord): Promise<void> {
    return this.#database.transaction(async (tx) => {
      await insertOperation(tx, app, operation);
      if (audit) await this.#options.audit.record(tx, audit);
    });
  }

  updateOperation(operation: OperationRecord): Promise<void> {
    return updateOperation(this.#database, operation);
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
