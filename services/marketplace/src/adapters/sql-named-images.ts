import type { Database } from "@appserver/kernel/ports";

/** Returns the digests that the stored releases of all apps name, installed or not. */
export async function namedImages(database: Pick<Database, "query">): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ readonly digest: string }>(`
    select image_digest as digest from marketplace.apps where image_digest is not null
    union select target->>'imageDigest' from marketplace.apps where target->>'imageDigest' is not null
    union select image_digest from marketplace.manifests where image_digest is not null`);
  return new Set(rows.map(({ digest }) => digest));
}
