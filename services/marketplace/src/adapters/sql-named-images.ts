import type { Database } from "@appserver/kernel/ports";

/**
 * Returns the digests of images that the manifests of all stored releases name, of installed apps or not, and those of the images that
 * they have run. A text of a manifest that has the form of a digest counts, too.
 */
export async function namedImages(database: Pick<Database, "query">): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ readonly digest: string }>(`
    select found[1] as digest
      from marketplace.manifests, regexp_matches(encode(manifest, 'escape'), 'sha256:[0-9a-f]{64}', 'g') as found
      where position('sha256:'::bytea in manifest) > 0
    union select image_digest from marketplace.manifests where image_digest is not null
    union select image_digest from marketplace.apps where image_digest is not null`);
  return new Set(rows.map(({ digest }) => digest));
}
