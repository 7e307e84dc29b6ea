import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { isUuid } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import { fromBinary } from "@bufbuild/protobuf";
import type { AppsSummary } from "../domain/apps-summary.ts";
import type { AppSource, ReleaseRef, StoredApp } from "../ports.ts";
import { apps } from "./app-rows.ts";

/** Reads apps from PostgreSQL, schema `marketplace`. Writes nothing, so a process that installs no apps can use it. */
export class SqlAppSource implements AppSource {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async apps(names?: readonly string[]): Promise<readonly StoredApp[]> {
    const { rows } = await this.#database.query<{ readonly certificate: Uint8Array }>(
      `select ${apps.selected}, certificate from marketplace.apps join marketplace.pinned_certificates on app_id = apps.id
       where $1::text[] is null or name = any($1)`,
      [names ?? null],
    );
    return rows.map((row) => ({ app: apps.record(row), certificate: new Uint8Array(row.certificate) }));
  }

  async manifestsOf(releases: readonly ReleaseRef[]) {
    const { rows } = await this.#database.query<{ digest: string; manifest: Uint8Array }>(
      `select digest, manifest from marketplace.manifests
       where (app_id, digest) in (select * from unnest($1::uuid[], $2::text[]))`,
      [releases.map(({ appId }) => appId), releases.map(({ manifestDigest }) => manifestDigest)],
    );
    return new Map<string, () => AppManifest>(
      rows.map((row) => [row.digest, () => fromBinary(AppManifestSchema, row.manifest)]),
    );
  }

  async nameOf(id: string): Promise<string | undefined> {
    // PostgreSQL fails on a text that is not a UUID, and no app has such an id.
    if (!isUuid(id)) return undefined;
    const { rows } = await this.#database.query<{ name: string }>("select name from marketplace.apps where id = $1", [id]);
    return rows[0]?.name;
  }

  async summary(): Promise<AppsSummary> {
    const { rows } = await this.#database.query<{ count: number; row_versions: number; newest_at: Date | null }>(
      `select count(*) as count, coalesce(sum(row_version), 0) as row_versions, max(registered_at) as newest_at
       from marketplace.apps`,
    );
    const [row] = rows;
    return {
      count: row?.count ?? 0,
      rowVersions: row?.row_versions ?? 0,
      newestAt: row?.newest_at?.getTime() ?? 0,
    };
  }
}
