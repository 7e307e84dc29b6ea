import { isImageDigest } from "@appserver/contracts/names";
import { RegistryError } from "./registry-error.ts";

/** What a manifest refers to. */
export interface ImageManifest {
  readonly mediaType: string;
  /** Digests of its configuration and layers. */
  readonly blobs: readonly string[];
  /** Digests of the manifests in an index. */
  readonly manifests: readonly string[];
}

export const maxManifestBytes = 4_194_304;
const maxDescriptors = 1_024;

const ociManifest = "application/vnd.oci.image.manifest.v1+json";
const ociIndex = "application/vnd.oci.image.index.v1+json";
const manifestTypes: ReadonlySet<string> = new Set([ociManifest, "application/vnd.docker.distribution.manifest.v2+json"]);
const indexTypes: ReadonlySet<string> = new Set([ociIndex, "application/vnd.docker.distribution.manifest.list.v2+json"]);

/**
 * Reads a manifest or an index of OCI or Docker. `contentType`: as the client names it, if it does. Throws MANIFEST_INVALID for anything
 * else.
 */
export function parseManifest(bytes: Uint8Array, contentType?: string): ImageManifest {
  const json = parsed(bytes);
  const isIndex = Array.isArray(json["manifests"]);
  const mediaType = json["mediaType"] ?? contentType ?? (isIndex ? ociIndex : ociManifest);
  if (typeof mediaType !== "string" || !(isIndex ? indexTypes : manifestTypes).has(mediaType))
    throw invalid(`expected one of the media types ${[...manifestTypes, ...indexTypes].join(", ")}`);
  if (contentType !== undefined && contentType !== mediaType)
    throw invalid("Content-Type and mediaType of the manifest name different types");
  if (isIndex) return { mediaType, blobs: [], manifests: digestsIn(json["manifests"]) };
  return { mediaType, blobs: [...digestsIn([json["config"]]), ...digestsIn(json["layers"])], manifests: [] };
}

function parsed(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof json === "object" && json !== null && "schemaVersion" in json && json.schemaVersion === 2)
      return json as Readonly<Record<string, unknown>>;
  } catch {
    // No JSON.
  }
  throw invalid("expected JSON with schemaVersion 2");
}

function digestsIn(descriptors: unknown): readonly string[] {
  if (!Array.isArray(descriptors)) throw invalid("expected config and layers, or manifests");
  if (descriptors.length > maxDescriptors) throw invalid(`expected at most ${maxDescriptors} descriptors`);
  return descriptors.map((descriptor: unknown) => {
    const { digest } = (descriptor ?? {}) as { readonly digest?: unknown };
    if (typeof digest === "string" && isImageDigest(digest)) return digest;
    throw invalid("expected descriptors with a digest of the form sha256: and 64 lower-case hex digits");
  });
}

function invalid(problem: string): RegistryError {
  return new RegistryError("MANIFEST_INVALID", `the manifest is not valid: ${problem}`);
}
