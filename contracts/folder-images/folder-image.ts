/**
 * The image in which the folder of an app travels to a platform that runs apps as processes (docs/interface/registry.md#folders). It is an
 * image of OCI with one layer, which carries the folder and names it by an annotation. There are no layers with a runtime below it.
 */
export interface ImageManifest {
  readonly schemaVersion: 2;
  readonly mediaType: string;
  readonly config: LayerDescriptor;
  readonly layers: readonly LayerDescriptor[];
}

export interface LayerDescriptor {
  readonly mediaType: string;
  /** `sha256:…` */
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const folderImageTypes = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

/** Names the folder of the app in a layer. */
export const folderAnnotation = "appserver.folder";
/** The only folder of such a layer. On top of layers with Node it would be the working directory of a container. */
export const folderInLayer = "app";

/** `folders` in responses of `GET /v2/` says that the platform runs folders, in place of containers. */
export const imageKindHeader = "appserver-images";

export const folderImageLimits = {
  /** Of a manifest. */
  manifestBytes: 4_194_304,
  /** Of the archive with its headers, after its decompression. */
  unpackedBytes: 2_147_483_648,
  entries: 200_000,
  /** Of a path, or of the target of a link. */
  pathBytes: 1_024,
} as const;

const leftOut: ReadonlySet<string> = new Set([".git", "key.pem", ".venv", "__pycache__"]);

/** Returns whether no image of an app has files and folders of this name: `key.pem` is the publisher's private key. */
export function isLeftOutOfImages(name: string): boolean {
  return leftOut.has(name);
}

/** Returns the layer with the app's folder, from a manifest that was read as JSON. Undefined if the manifest is of another kind of image. */
export function folderLayerOf(manifest: unknown): LayerDescriptor | undefined {
  const { layers } = (manifest ?? {}) as { readonly layers?: unknown };
  if (!Array.isArray(layers)) return undefined;
  // The last layer is the uppermost one.
  const found = (layers as readonly (Partial<LayerDescriptor> | null)[]).findLast(
    (layer) => layer?.annotations?.[folderAnnotation] === folderInLayer,
  );
  const { mediaType, digest, size } = found ?? {};
  if (mediaType !== folderImageTypes.layer || typeof digest !== "string" || !/^sha256:[0-9a-f]{64}$/.test(digest))
    return undefined;
  return Number.isSafeInteger(size) && Number(size) >= 0 ? { mediaType, digest, size: Number(size) } : undefined;
}
