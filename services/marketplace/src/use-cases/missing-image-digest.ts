import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError, type FieldViolation } from "@appserver/kernel";
import { imageOf } from "../domain/app-image.ts";
import type { MarketplacePolicy } from "./policy.ts";

/** Throws INVALID_REQUEST if the operator requires a digest of the image and the manifest has none. */
export function requireImageDigest(policy: MarketplacePolicy, manifest: AppManifest): void {
  const missing = missingImageDigest(policy, manifest);
  if (missing)
    throw new AppError("INVALID_REQUEST", `the manifest is not valid: ${missing.field} ${missing.message}`, {
      violations: [missing],
    });
}

/** Returns the violation of a valid manifest without a digest of its image, if the operator requires one. */
export function missingImageDigest(policy: MarketplacePolicy, manifest: AppManifest): FieldViolation | undefined {
  const image = policy.requiresImageDigest ? imageOf(manifest) : undefined;
  if (image === undefined || image.digest !== undefined) return undefined;
  const remedy = "`appctl deploy` writes it after the push of the image, or `appctl register --image-digest` takes it";
  return { field: "image_digest", message: `is missing, and this platform requires it (apps.require_digest): ${remedy}` };
}
