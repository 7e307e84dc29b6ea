import type { Database } from "@appserver/kernel/ports";
import type { AssetFiles, ReleaseRef } from "../ports.ts";
import { assets } from "./app-rows.ts";

/** Reads assets with their contents from PostgreSQL, schema `marketplace`. */
export class SqlAssetFiles implements AssetFiles {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find({ appId, manifestDigest }: ReleaseRef, assetName: string) {
    const { rows } = await this.#database.query<{ readonly contents: Uint8Array }>(
      `select ${assets.selected}, contents
       from marketplace.assets join marketplace.manifests using (app_id, version, revision)
       where app_id = $1 and digest = $2 and name = $3 and served_at is not null`,
      [appId, manifestDigest, assetName],
    );
    return rows[0] && { ...assets.record(rows[0]), contents: rows[0].contents };
  }
}
