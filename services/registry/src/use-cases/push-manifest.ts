import { createHash } from "node:crypto";
import type { Call } from "@appserver/kernel";
import { parseManifest } from "../domain/image-manifest.ts";
import { RegistryError } from "../domain/registry-error.ts";
import type { Reference } from "../domain/target.ts";
import type { RegistryContext } from "./context.ts";

export interface PushedManifest {
  readonly app: string;
  /** A tag, or the digest that the bytes must have. */
  readonly reference: Reference;
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
}

/** Stores a manifest and returns its digest. Rejects with DIGEST_INVALID, MANIFEST_INVALID, MANIFEST_BLOB_UNKNOWN or DENIED. */
export async function pushManifest(
  { store, pushes }: RegistryContext,
  { app, reference, bytes, contentType }: PushedManifest,
  call: Pick<Call, "caller" | "traceparent">,
): Promise<string> {
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if ("digest" in reference && reference.digest !== digest)
    throw new RegistryError("DIGEST_INVALID", `the manifest has the digest ${digest}`);
  const { blobs, manifests } = parseManifest(bytes, contentType);
  const tag = "tag" in reference ? reference.tag : undefined;
  if (await store.writeManifest(app, { digest, bytes, blobs, manifests, tag })) await pushes.record({ app, digest, tag }, call);
  return digest;
}
