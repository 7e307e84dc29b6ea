import { i18n } from "../i18n.ts";

/** The image of a version, null if the platform runs no container of it. */
export type AppImage = { readonly digest?: string | null | undefined } | null | undefined;

/** Returns "sha256:…", or "by tag" if the manifest does not name the image. Undefined without a container. */
export function imageText(image: AppImage): string | undefined {
  if (!image) return undefined;
  return image.digest ?? i18n.t("by tag");
}
