import type { Database } from "@appserver/kernel/ports";

/** What a list of apps outside of the platform needs of each. */
export interface AppVersion {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly manifestDigest: string;
  readonly state: string;
}

/** Reads the registered apps, by their names. */
export async function appVersions(database: Pick<Database, "query">): Promise<readonly AppVersion[]> {
  const { rows } = await database.query<AppVersion>(
    `select id, name, version, manifest_digest as "manifestDigest", state from marketplace.apps order by name`,
  );
  return rows;
}
