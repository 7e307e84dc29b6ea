import { AppError, auditEntry, type Call, callOn, initiatorOf, isAppError, type Problem } from "@appserver/kernel";
import { admitRegistration, type RegistrationRequest } from "./admit-registration.ts";
import { checkRegistration } from "./check-registration.ts";
import type { MarketplaceContext } from "./context.ts";
import { missingDependencies } from "./missing-dependencies.ts";
import { requireImageDigest } from "./missing-image-digest.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { type CommandResult, endedOperation } from "./operation.ts";
import { createApp, type RegistrationContent, updateApp } from "./store-registration.ts";
import { upgradeAutomatically } from "./upgrade-automatically.ts";
import { validateManifest } from "./validate-manifest.ts";

export interface Registration extends CommandResult {
  /** False if the same manifest was already stored. */
  readonly changed: boolean;
  readonly warnings: readonly Problem[];
}

/**
 * Stores a manifest and its assets under its name (docs/interface/states.md#registration).
 *
 * Throws INVALID_REQUEST with every violation. Throws CONFLICT for another key, or for other content under a stored version.
 * Throws AUTHENTICATION_* and PERMISSION_DENIED like {@link admitRegistration} and {@link admitIdentity}.
 */
export async function registerApp(
  context: MarketplaceContext,
  request: RegistrationRequest,
  unbound: Call,
): Promise<Registration> {
  const { manifest, manifestSignature: signature } = request;
  const call = callOn(unbound, manifest.name);
  await admitRegistration(context, request, call);
  const { violations, warnings, certificate } = await validateManifest(context, manifest);
  if (violations.length > 0 || !certificate) {
    const first = violations[0];
    const rest = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
    throw new AppError("INVALID_REQUEST", `the manifest is not valid: ${first?.field} ${first?.message}${rest}`, {
      violations,
    });
  }
  requireImageDigest(context.policy, manifest);
  const registration = await context.lock.run(manifest.name, async () => {
    const stored = await onCurrentApp(async () => {
      const { existing, changesNothing, releases, release } = await checkRegistration(
        context,
        request,
        certificate,
        call,
      ).catch((error: unknown) => recordRefusal(context, { manifest, certificate, error }, call));
      const operation = endedOperation(context, manifest, { kind: "register", ...initiatorOf(call.caller) });
      const content = { manifest, signature, certificate, release, operation };
      if (!existing) return { app: await createApp(context, content, call), changed: true, operation };
      if (!changesNothing)
        return { app: await updateApp(context, { ...content, existing, releases }, call), changed: true, operation };
      await context.store.addOperation(existing, operation);
      return { app: existing, changed: false, operation };
    });
    const problems = warnings.map(
      (warning): Problem => ({ code: "INVALID_REQUEST", message: `${warning.field} ${warning.message}` }),
    );
    const missing = await missingDependencies(context, manifest);
    return { ...stored, warnings: [...problems, ...missing] };
  });
  return registration.changed ? withUpgrade(context, registration) : registration;
}

/** Upgrades the app at once if its setting asks for it. A refusal is a warning: the manifest is stored. */
async function withUpgrade(context: MarketplaceContext, registration: Registration): Promise<Registration> {
  const { app, refusal } = await upgradeAutomatically(context, registration.app.name);
  const { warnings } = registration;
  return { ...registration, ...(app ? { app } : {}), warnings: refusal ? [...warnings, refusal] : warnings };
}

/**
 * Writes an audit entry if the request tried to register under an app's name without its key: with another key, or without a
 * valid signature. Throws the refusal.
 */
async function recordRefusal(
  context: MarketplaceContext,
  { manifest, certificate, error }: Pick<RegistrationContent, "manifest" | "certificate"> & { readonly error: unknown },
  call: Call,
): Promise<never> {
  const { keyFingerprint, fingerprint } = certificate;
  const existing = isAppError(error) && (await context.store.findByName(manifest.name));
  if (existing && (existing.keyFingerprint !== keyFingerprint || error.code.startsWith("AUTHENTICATION_"))) {
    const facts = { code: error.code, reason: error.message, keyFingerprint, certificateFingerprint: fingerprint };
    const refused = { action: "app.register", target: `app:${manifest.name}`, outcome: "denied", details: facts } as const;
    await context.store.audit(auditEntry(call, refused));
  }
  throw error;
}
