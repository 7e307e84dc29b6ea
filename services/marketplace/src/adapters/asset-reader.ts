import type { Database } from "@appserver/kernel/ports";
import type { ReleaseRef } from "../ports.ts";
import { assets } from "./app-rows.ts";

export type ReadAsset = ReturnType<typeof assetReader>;

/** Returns a function that reads a file of a release that has served, with its contents. */
export function assetReader(database: Database) {
  return async ({ appId, manifestDigest }: ReleaseRef, assetName: string) => {
    const { rows } = await database.query<{ readonly contents: Uint8Array }>(
      `select ${assets.selected}, contents
       from marketplace.assets join marketplace.manifests using (app_id, version, revision)
       where app_id = $1 and digest = $2 and name = $3 and served_at is not null`,
      [appId, manifestDigest, assetName],
    );
    return rows[0] && { ...assets.record(rows[0]), contents: rows[0].contents };
  };
}
