import { createHash } from "node:crypto";
import { clone, toBinary } from "@bufbuild/protobuf";
import { type AppManifest, AppManifestSchema } from "../generated/proto/appserver/v2/manifest_pb.js";
import type { NavigationRoute } from "../generated/proto/appserver/v2/ui_pb.js";

/**
 * Returns the bytes that `manifest_signature` covers: deterministic serialization (fields by number, maps by key, unknown
 * fields dropped) without the contents of assets. Their `sha256` is included, so the signature also covers the contents.
 */
export function canonicalManifest(manifest: AppManifest): Uint8Array {
  const copy = clone(AppManifestSchema, manifest);
  for (const asset of copy.webApp?.assets ?? []) asset.contents = new Uint8Array(0);
  for (const route of copy.webApp?.ui?.navigation ?? []) sortMetadata(route);
  return toBinary(AppManifestSchema, copy, { writeUnknownFields: false });
}

/**
 * Returns the SHA-256 of a manifest, hex. Equal manifests have equal digests even if the certificate was renewed or a
 * randomised algorithm signed the manifest again.
 */
export function manifestDigest(manifest: AppManifest): string {
  const copy = clone(AppManifestSchema, manifest);
  copy.certificate = new Uint8Array(0);
  for (const asset of copy.webApp?.assets ?? []) asset.signature = new Uint8Array(0);
  return createHash("sha256").update(canonicalManifest(copy)).digest("hex");
}

function sortMetadata(route: NavigationRoute): void {
  route.metadata = Object.fromEntries(Object.entries(route.metadata).sort(([a], [b]) => (a < b ? -1 : 1)));
  for (const child of route.children) sortMetadata(child);
}
