import type { Database } from "@appserver/kernel/ports";
import type { KeptImages } from "../ports.ts";

/** Reads the images of apps and of their kept releases. */
export class SqlKeptImages implements KeptImages {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async digests(): Promise<ReadonlySet<string>> {
    const { rows } = await this.#database.query<{ readonly digest: string }>(`
      with installed as (
        select id, image_digest, target from marketplace.apps where state not in ('REGISTERED', 'UNINSTALLED'))
      select image_digest as digest from installed where image_digest is not null
      union select target->>'imageDigest' from installed where target->>'imageDigest' is not null
      union select manifests.image_digest from marketplace.manifests join installed on installed.id = manifests.app_id
            where manifests.image_digest is not null`);
    return new Set(rows.map(({ digest }) => digest));
  }
}
