import { createHash } from "node:crypto";
import { manifestDigestInput } from "@appserver/contracts/manifest";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";

/** Returns the SHA-256 of the manifest, hex. The signer and the time of the signature do not change it. */
export function manifestDigest(manifest: AppManifest): string {
  return createHash("sha256").update(manifestDigestInput(manifest)).digest("hex");
}
