import { imageDigestForm, isImageDigest } from "@appserver/contracts/names";
import { quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { imageStageKey } from "@appserver/contracts/settings";
import { hasContainer } from "./has-container.ts";
import type { Violations } from "./violations.ts";

/** Checks the digest of the image (docs/interface/manifest.md#image), and warns of what has no effect. */
export function checkImage(manifest: AppManifest, violations: Violations): void {
  const { imageDigest, settings } = manifest;
  if (imageDigest === undefined) return;
  const isValid = violations.check(
    isImageDigest(imageDigest),
    "image_digest",
    () => `must be ${imageDigestForm}, got ${quote(imageDigest)}`,
  );
  if (!isValid) return;
  if (!hasContainer(manifest)) violations.warn("image_digest", "has no effect: the platform runs no container for this app");
  const stage = (settings?.definitions ?? []).findIndex(({ key }) => key === imageStageKey);
  if (stage !== -1)
    violations.warn(`settings.definitions[${stage}]`, `${imageStageKey} has no effect: image_digest names the image`);
}
