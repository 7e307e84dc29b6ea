import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { Database } from "@appserver/kernel/ports";
import { fromBinary } from "@bufbuild/protobuf";
import { parseCertificate } from "../domain/certificate.ts";

/** Returns the certificate of an app whose release pinned none: it is in the manifest of the version that brought it. */
export async function earlierCertificate(
  database: Database,
  appId: string,
  fingerprint: string,
): Promise<Uint8Array | undefined> {
  const { rows } = await database.query<{ manifest: Uint8Array }>(
    "select manifest from marketplace.manifests where app_id = $1",
    [appId],
  );
  return rows
    .map(({ manifest }) => fromBinary(AppManifestSchema, manifest).certificate)
    .find((certificate) => parseCertificate(certificate)?.fingerprint === fingerprint);
}
