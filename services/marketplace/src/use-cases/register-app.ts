import { createHash } from "node:crypto";
import { manifestDigestInput } from "@appserver/contracts/manifest";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError, actorOf, auditEntry, type Call, isAppError, uuidv7 } from "@appserver/kernel";
import type { AppRecord, AppTransition, Problem } from "../domain/app.ts";
import { appEvent, stateChanged } from "../domain/app-events.ts";
import type { AppCertificate } from "../domain/certificate.ts";
import type { ValidationResult } from "../domain/manifest/validate-manifest.ts";
import { compareVersions } from "../domain/version-constraint.ts";
import { admitIdentity, admitRegistration, type RegistrationRequest } from "./admit-registration.ts";
import type { MarketplaceContext } from "./context.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { validateManifest } from "./validate-manifest.ts";

export interface Registration {
  readonly app: AppRecord;
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
  call: Call,
): Promise<Registration> {
  const { manifest } = request;
  admitRegistration(context, request, call);
  const { violations, warnings, certificate } = await validateManifest(context, manifest);
  if (violations.length > 0 || !certificate) {
    const first = violations[0];
    const rest = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
    throw new AppError("INVALID_REQUEST", `the manifest is not valid: ${first?.field} ${first?.message}${rest}`, {
      violations,
    });
  }
  return context.lock.run(manifest.name, async () => {
    const stored = await onCurrentApp(async () => {
      const { existing, changesNothing } = await judge(context, request, certificate, call).catch((error: unknown) =>
        recordRefusal(context, { manifest, certificate, error }, call),
      );
      if (!existing) return create(context, { manifest, certificate }, call);
      if (changesNothing) return { app: existing, changed: false };
      return update(context, { manifest, certificate, existing }, call);
    });
    const problems = warnings.map(
      (warning): Problem => ({ code: "INVALID_REQUEST", message: `${warning.field} ${warning.message}` }),
    );
    const missing = await dependencyWarnings(context, manifest);
    return { ...stored, warnings: [...problems, ...missing] };
  });
}

/**
 * Writes an audit entry if the request tried to register under an app's name without its key: with another key, or without a
 * valid signature. Throws the refusal.
 */
async function recordRefusal(
  context: MarketplaceContext,
  { manifest, certificate, error }: Content & { readonly error: unknown },
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

/**
 * Returns every reason to refuse the registration of the manifest, and its warnings. Stores nothing. A missing signature is not
 * an error.
 */
export async function rehearseRegistration(
  context: MarketplaceContext,
  request: Omit<RegistrationRequest, "isRehearsal">,
  call: Call,
): Promise<ValidationResult> {
  const result = await validateManifest(context, request.manifest);
  const { certificate } = result;
  if (result.violations.length > 0 || !certificate) return result;
  const rehearsal = { ...request, isRehearsal: true } as const;
  try {
    admitRegistration(context, rehearsal, call);
    await judge(context, rehearsal, certificate, call);
    return result;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { ...result, violations: [{ field: String(error.details["field"] ?? "manifest"), message: error.message }] };
  }
}

function isRefusal(error: unknown): error is AppError {
  return isAppError(error) && refusals.has(error.code);
}

/** Codes of errors that are caused by the request. Other errors do not describe the request. */
const refusals: ReadonlySet<string> = new Set(["CONFLICT", "AUTHENTICATION_FAILED", "PERMISSION_DENIED", "INVALID_REQUEST"]);

interface Judgement {
  readonly existing: AppRecord | undefined;
  readonly changesNothing: boolean;
}

/** Checks whether the manifest may be stored, by its name, key and version. Throws the reason for a refusal. */
async function judge(
  context: MarketplaceContext,
  request: RegistrationRequest,
  certificate: AppCertificate,
  call: Call,
): Promise<Judgement> {
  const { manifest } = request;
  const existing = await context.store.findByName(manifest.name);
  const same = existing && (await context.store.manifest(existing.id, manifest.version));
  const sameContent = same !== undefined && digestOf(same) === digestOf(manifest);
  const changesNothing = sameContent && existing?.certificateFingerprint === certificate.fingerprint;
  await admitIdentity(context, request, { certificate, existing, changesNothing }, call);
  if (existing && !sameContent) requireNewVersion(existing, manifest.version, same !== undefined);
  return { existing, changesNothing };
}

function requireNewVersion(existing: AppRecord, version: string, isKnown: boolean): void {
  const newest = existing.availableVersion ?? existing.version;
  if (!isKnown && compareVersions(version, newest) > 0) return;
  throw new AppError(
    "CONFLICT",
    `${existing.name} ${newest} is registered; other content needs a higher version than that, got ${version}`,
    { details: { app: existing.name, registered: newest, version, field: "version" } },
  );
}

type Stored = Pick<Registration, "app" | "changed">;

/** An admitted manifest with its certificate. */
interface Content {
  readonly manifest: AppManifest;
  readonly certificate: AppCertificate;
}

async function create(context: MarketplaceContext, { manifest, certificate }: Content, call: Call): Promise<Stored> {
  const at = new Date(context.clock.now());
  const actor = actorOf(call.caller);
  const transition: AppTransition = { from: undefined, to: "REGISTERED", reason: "registered", actor, at };
  const app: AppRecord = {
    id: uuidv7(at.getTime()),
    name: manifest.name,
    displayName: displayName(manifest),
    version: manifest.version,
    availableVersion: undefined,
    state: "REGISTERED",
    enabled: true,
    health: "UNKNOWN",
    keyFingerprint: certificate.keyFingerprint,
    certificateFingerprint: certificate.fingerprint,
    manifestDigest: digestOf(manifest),
    generation: 0,
    endpoint: undefined,
    lastError: undefined,
    conditions: [],
    registeredAt: at,
    installedAt: undefined,
    updatedAt: at,
    rowVersion: 1,
  };
  const events = [
    appEvent("app.registered", app, at, actor, { manifestDigest: app.manifestDigest, isUpdate: false }),
    stateChanged(app, transition),
  ];
  const audit = auditEntry(call, {
    action: "app.register",
    target: `app:${app.name}`,
    details: registrationFacts(app, manifest),
  });
  const saved = await context.store.save({ app, expectedRowVersion: undefined, transition, events, manifest, audit });
  return { app: saved, changed: true };
}

async function update(
  context: MarketplaceContext,
  { manifest, certificate, existing }: Content & { readonly existing: AppRecord },
  call: Call,
): Promise<Stored> {
  const digest = digestOf(manifest);
  const at = new Date(context.clock.now());
  const actor = actorOf(call.caller);
  const replaces = existing.state === "REGISTERED" || existing.state === "UNINSTALLED" || existing.state === "FAILED";
  const app: AppRecord = {
    ...existing,
    ...(replaces || manifest.version === existing.version
      ? { version: manifest.version, displayName: displayName(manifest), manifestDigest: digest, availableVersion: undefined }
      : { availableVersion: manifest.version }),
    keyFingerprint: certificate.keyFingerprint,
    certificateFingerprint: certificate.fingerprint,
    updatedAt: at,
  };
  const events = [
    appEvent("app.registered", { ...app, version: manifest.version }, at, actor, { manifestDigest: digest, isUpdate: true }),
  ];
  const isRotation = app.keyFingerprint !== existing.keyFingerprint;
  const facts = {
    ...registrationFacts(app, manifest),
    previousKeyFingerprint: isRotation ? existing.keyFingerprint : undefined,
  };
  const action = isRotation ? "app.rotate_key" : "app.update";
  const audit = auditEntry(call, { action, target: `app:${app.name}`, details: facts });
  const saved = await context.store.save({ app, expectedRowVersion: existing.rowVersion, events, manifest, audit });
  return { app: saved, changed: true };
}

function registrationFacts(app: AppRecord, manifest: AppManifest) {
  const { keyFingerprint, certificateFingerprint } = app;
  return { version: manifest.version, manifestDigest: digestOf(manifest), keyFingerprint, certificateFingerprint };
}

/** HARD dependencies block installation, not registration (ADR 0005): apps may register in any order. */
async function dependencyWarnings(context: MarketplaceContext, manifest: AppManifest): Promise<readonly Problem[]> {
  const warnings: Problem[] = [];
  for (const dependency of manifest.dependencies) {
    if (dependency.kind !== DependencyKind.HARD || (await context.store.findByName(dependency.appName))) continue;
    warnings.push({
      code: "DEPENDENCY_UNSATISFIED",
      message: `${dependency.appName} is not registered; it must be before ${manifest.name} can be installed`,
      details: { app: manifest.name, dependency: dependency.appName },
    });
  }
  return warnings;
}

function displayName(manifest: AppManifest): string {
  return manifest.displayName === "" ? manifest.name : manifest.displayName;
}

/** hex */
function digestOf(manifest: AppManifest): string {
  return createHash("sha256").update(manifestDigestInput(manifest)).digest("hex");
}
