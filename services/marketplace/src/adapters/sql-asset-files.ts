import type { Database } from "@appserver/kernel/ports";
import type { AssetFiles } from "../ports.ts";
import { type AssetRow, toAsset } from "./app-rows.ts";

/** Reads assets with their contents from PostgreSQL, schema `marketplace`. */
export class SqlAssetFiles implements AssetFiles {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(appId: string, version: string, assetName: string) {
    const { rows } = await this.#database.query<AssetRow & { contents: Uint8Array }>(
      `select name, mime_type, size, sha256, signature_algorithm, contents from marketplace.assets
       where app_id = $1 and version = $2 and name = $3`,
      [appId, version, assetName],
    );
    return rows[0] && { ...toAsset(rows[0]), contents: rows[0].contents };
  }
}
