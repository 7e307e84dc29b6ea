import assert from "node:assert/strict";
import { eventually, type PlatformUnderTest } from "@appserver/testing/kit";

/** Removes them from a platform that other files use, too. */
export async function removeApps(platform: PlatformUnderTest | undefined, ...prefixes: readonly string[]): Promise<void> {
  for (const prefix of prefixes)
    await platform?.onDatabase((sql) => sql.query("delete from marketplace.apps where name like $1 || '.n%'", [prefix]));
}

interface Listed {
  readonly apps: { readonly totalCount: number };
}

/** The app whose manifest the others have. */
const original = "com.example.clock";

/**
 * Registers apps with the names `<prefix>.n00001` and following, and the manifest of a sample app. A registration of each over gRPC would
 * take minutes.
 */
export async function addApps(
  platform: PlatformUnderTest,
  { prefix, count, state }: { readonly prefix: string; readonly count: number; readonly state: "REGISTERED" | "FAILED" },
): Promise<void> {
  await platform.onDatabase(async (sql) => {
    const added = await sql.query(
      `insert into marketplace.apps (id, name, display_name, version, revision, state, enabled, health, key_fingerprint,
         certificate_fingerprint, manifest_digest, generation, last_generation, conditions, registered_at, updated_at, row_version)
       select gen_random_uuid(), $2 || '.n' || lpad(n::text, 5, '0'), 'App ' || n, version, revision, $4, true, 'UNKNOWN',
         $2 || n, certificate_fingerprint, manifest_digest, 0, 0, '[]', now() - n * interval '1 minute',
         now() - n * interval '1 minute', 1
       from marketplace.apps, generate_series(1, $3::int) as n where name = $1`,
      [original, prefix, count, state],
    );
    assert.equal(added.count, count);
    await sql.query(
      `insert into marketplace.manifests (app_id, version, revision, digest, manifest, registered_at)
       select apps.id, manifests.version, manifests.revision, digest, manifest, now()
       from marketplace.apps as original join marketplace.manifests on app_id = original.id and digest = original.manifest_digest,
         marketplace.apps as apps
       where original.name = $1 and apps.name like $2 || '.n%'`,
      [original, prefix],
    );
    await sql.query(
      `insert into marketplace.pinned_certificates (app_id, certificate)
       select apps.id, certificate from marketplace.apps as original join marketplace.pinned_certificates on app_id = original.id,
         marketplace.apps as apps
       where original.name = $1 and apps.name like $2 || '.n%'`,
      [original, prefix],
    );
  });
  // The platform reads all of them first, and has no connection of its database left for other requests.
  const listed = () => platform.graphql(`{ apps(filter: { search: "${prefix}" }, first: 1) { totalCount } }`);
  await eventually(listed, ({ data }) => (data as Listed | null)?.apps.totalCount === count, {
    timeoutMs: 120_000,
    what: `${count} apps are listed`,
  });
}
