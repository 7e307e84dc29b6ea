/** The image of a version, null if the platform runs no container of it. */
export type PlannedImage = { readonly digest?: string | null | undefined } | null | undefined;

/** Returns "image sha256:…", or "image by tag" if the manifest does not name the image. Undefined without a container. */
export function imageText(image: PlannedImage): string | undefined {
  if (image == null) return undefined;
  return image.digest == null ? "image by tag" : `image ${image.digest}`;
}
