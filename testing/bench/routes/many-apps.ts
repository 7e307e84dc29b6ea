import { createHash, randomUUID } from "node:crypto";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { PostgresDatabase } from "@appserver/database-postgres";
import { clone, fromBinary, toBinary } from "@bufbuild/protobuf";

const rowsAtOnce = 500;

/** Returns the patterns of an app: the kinds that manifests use. */
export function patternsOf(index: number): readonly string[] {
  const kinds = ["", "/{id}", "/{id}/parts/{part}", "/search", "/files/{path...}"];
  return ["items", `orders${index % 7}`].flatMap((resource) => kinds.map((kind) => `/${resource}${kind}`));
}

/** Returns a path that each of these patterns matches. */
export function pathFor(pattern: string): string {
  return pattern.replace("{path...}", "a/b/c.txt").replaceAll(/\{\w+\}/g, "4711");
}

export function nameOf(index: number): string {
  return `test.routes${String(index).padStart(5, "0")}`;
}

/** Copies an installed app under other names, directly in the database: to install that many takes longer than the bench. */
export async function copyApp(database: PostgresDatabase, source: string, from: number, to: number): Promise<void> {
  const { rows } = await database.query<{ id: string; manifest: Uint8Array }>(
    `select app_id as id, manifest from marketplace.manifests
     where app_id = (select id from marketplace.apps where name = $1)`,
    [source],
  );
  const [original] = rows;
  if (!original) throw new Error(`${source} is not registered`);
  const manifest = fromBinary(AppManifestSchema, original.manifest);
  for (let first = from; first < to; first += rowsAtOnce) {
    const copies = Array.from({ length: Math.min(rowsAtOnce, to - first) }, (_, offset) => {
      const name = nameOf(first + offset);
      const copy = clone(AppManifestSchema, manifest);
      copy.name = name;
      copy.displayName = name;
      if (copy.webApp?.api) copy.webApp.api.basePath = `/api/apps/${name}`;
      const bytes = toBinary(AppManifestSchema, copy);
      return { id: randomUUID(), name, bytes, digest: createHash("sha256").update(bytes).digest("hex") };
    });
    const columns = [copies.map(({ id }) => id), copies.map(({ name }) => name), copies.map(({ digest }) => digest)];
    await database.query(
      `insert into marketplace.apps
       select (jsonb_populate_record(a, jsonb_build_object('id', c.id, 'name', c.name, 'display_name', c.name,
         'manifest_digest', c.digest, 'key_fingerprint', c.digest, 'certificate_fingerprint', c.digest))).*
       from marketplace.apps a, unnest($2::uuid[], $3::text[], $4::text[]) as c (id, name, digest) where a.id = $1`,
      [original.id, ...columns],
    );
    await database.query(
      `insert into marketplace.manifests
       select c.id, m.version, c.manifest, m.registered_at, m.revision, c.digest, m.registered_by, m.image_digest, m.served_at
       from marketplace.manifests m, unnest($2::uuid[], $3::bytea[], $4::text[]) as c (id, manifest, digest) where m.app_id = $1`,
      [original.id, columns[0], copies.map(({ bytes }) => Buffer.from(bytes)), columns[2]],
    );
    await database.query(
      `insert into marketplace.pinned_certificates
       select id, p.certificate from marketplace.pinned_certificates p, unnest($2::uuid[]) as id where p.app_id = $1`,
      [original.id, columns[0]],
    );
  }
}
