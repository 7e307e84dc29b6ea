import { type AppError, type Call, callOn, isAppError, type Problem } from "@appserver/kernel";
import type { ValidationResult } from "../domain/manifest/check-manifest.ts";
import { admitRegistration, type RegistrationRequest } from "./admit-registration.ts";
import { checkRegistration } from "./check-registration.ts";
import type { MarketplaceContext } from "./context.ts";
import { missingDependencies } from "./missing-dependencies.ts";
import { missingImageDigest } from "./missing-image-digest.ts";
import { validateManifest } from "./validate-manifest.ts";

export interface DryRun extends Pick<ValidationResult, "violations" | "warnings"> {
  /** Warnings about HARD dependencies, if the manifest is valid. */
  readonly missingDependencies: readonly Problem[];
}

/**
 * Returns every reason to refuse the registration of the manifest, and its warnings. Stores nothing. A missing signature is not
 * an error, and a missing digest of the image is a warning: both are added when the app is deployed.
 */
export async function dryRunRegistration(
  context: MarketplaceContext,
  request: Omit<RegistrationRequest, "isDryRun">,
  call: Call,
): Promise<DryRun> {
  const result = await validateManifest(context, request.manifest);
  const { certificate } = result;
  if (result.violations.length > 0 || !certificate) return { ...result, missingDependencies: [] };
  const missingDigest = missingImageDigest(context.policy, request.manifest);
  const dryRun = { ...request, isDryRun: true } as const;
  try {
    await admitRegistration(context, dryRun, call);
    await checkRegistration(context, dryRun, certificate, callOn(call, request.manifest.name));
    const warnings = [...result.warnings, ...(missingDigest ? [missingDigest] : [])];
    return { ...result, warnings, missingDependencies: await missingDependencies(context, request.manifest) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const violations = [{ field: String(error.details["field"] ?? "manifest"), message: error.message }];
    return { ...result, violations, missingDependencies: [] };
  }
}

function isRefusal(error: unknown): error is AppError {
  return isAppError(error) && refusals.has(error.code);
}

/** Codes of errors that are caused by the request. Other errors do not describe the request. */
const refusals: ReadonlySet<string> = new Set(["CONFLICT", "AUTHENTICATION_FAILED", "PERMISSION_DENIED", "INVALID_REQUEST"]);
