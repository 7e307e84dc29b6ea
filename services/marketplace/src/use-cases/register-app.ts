import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError, actorOf, auditEntry, type Call, isAppError, uuidv7 } from "@appserver/kernel";
import type { AppRecord, AppTransition, OperationRecord, Problem, Release } from "../domain/app.ts";
import { appEvent, stateChanged } from "../domain/app-events.ts";
import { canTransition, isInstalled } from "../domain/app-state.ts";
import type { AppCertificate } from "../domain/certificate.ts";
import { manifestDigest } from "../domain/manifest/manifest-digest.ts";
import type { ValidationResult } from "../domain/manifest/validate-manifest.ts";
import { routeBaseOf } from "../domain/planned-app.ts";
import { displayName, isNewer, nextRevision, releasesToForget } from "../domain/releases.ts";
import type { NewRelease } from "../ports.ts";
import { admitIdentity, admitRegistration, type RegistrationRequest } from "./admit-registration.ts";
import type { MarketplaceContext } from "./context.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { type CommandResult, endedOperation } from "./operation.ts";
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
  const registration = await context.lock.run(manifest.name, async () => {
    const stored = await onCurrentApp(async () => {
      const { existing, changesNothing, releases, release } = await judge(context, request, certificate, call).catch(
        (error: unknown) => recordRefusal(context, { manifest, certificate, error }, call),
      );
      const operation = endedOperation(context, manifest, { kind: "register", actor: actorOf(call.caller) });
      const content = { manifest, certificate, release, operation };
      if (!existing) return { app: await create(context, content, call), changed: true, operation };
      if (!changesNothing)
        return { app: await update(context, { ...content, existing, releases }, call), changed: true, operation };
      await context.store.addOperation(existing, operation);
      return { app: existing, changed: false, operation };
    });
    const problems = warnings.map(
      (warning): Problem => ({ code: "INVALID_REQUEST", message: `${warning.field} ${warning.message}` }),
    );
    const missing = await dependencyWarnings(context, manifest);
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
  { manifest, certificate, error }: Pick<Content, "manifest" | "certificate"> & { readonly error: unknown },
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
export async function dryRunRegistration(
  context: MarketplaceContext,
  request: Omit<RegistrationRequest, "isDryRun">,
  call: Call,
): Promise<ValidationResult> {
  const result = await validateManifest(context, request.manifest);
  const { certificate } = result;
  if (result.violations.length > 0 || !certificate) return result;
  const dryRun = { ...request, isDryRun: true } as const;
  try {
    admitRegistration(context, dryRun, call);
    await judge(context, dryRun, certificate, call);
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
  readonly releases: readonly Release[];
  /** The release that the manifest is stored as, or already was stored as. */
  readonly release: ReleaseKey;
  readonly changesNothing: boolean;
}

type ReleaseKey = Pick<Release, "version" | "revision" | "manifestDigest">;

/** Checks whether the manifest may be stored, by its name, key and version. Throws the reason for a refusal. */
async function judge(
  context: MarketplaceContext,
  request: RegistrationRequest,
  certificate: AppCertificate,
  call: Call,
): Promise<Judgement> {
  const { manifest } = request;
  const existing = await context.store.findByName(manifest.name);
  const releases = existing ? await context.store.releases(existing.id) : [];
  const digest = manifestDigest(manifest);
  const same = releases.find((release) => release.manifestDigest === digest);
  const changesNothing = same !== undefined && existing?.certificateFingerprint === certificate.fingerprint;
  await admitIdentity(context, request, { certificate, existing, changesNothing }, call);
  const release = same ?? newRelease(context, manifest, digest, releases);
  return { existing, releases, release, changesNothing };
}

function newRelease(
  { policy }: MarketplaceContext,
  { name, version }: AppManifest,
  digest: string,
  releases: readonly Release[],
): ReleaseKey {
  const takesRevisions = policy.registration === "open";
  return { version, revision: nextRevision(name, version, releases, takesRevisions), manifestDigest: digest };
}

/** An admitted manifest with its certificate, and the command that stores it. */
interface Content {
  readonly manifest: AppManifest;
  readonly certificate: AppCertificate;
  readonly release: ReleaseKey;
  readonly operation: OperationRecord;
}

function create(
  context: MarketplaceContext,
  { manifest, certificate, release, operation }: Content,
  call: Call,
): Promise<AppRecord> {
  const at = operation.startedAt;
  const actor = actorOf(call.caller);
  const transition: AppTransition = { from: undefined, to: "REGISTERED", reason: "registered", actor, at };
  const app: AppRecord = {
    id: uuidv7(at.getTime()),
    name: manifest.name,
    displayName: displayName(manifest),
    ...release,
    availableVersion: undefined,
    availableDigest: undefined,
    state: "REGISTERED",
    enabled: true,
    health: "UNKNOWN",
    keyFingerprint: certificate.keyFingerprint,
    certificateFingerprint: certificate.fingerprint,
    imageDigest: undefined,
    generation: 0,
    lastGeneration: 0,
    target: undefined,
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
  return context.store.save({
    app,
    operation,
    expectedRowVersion: undefined,
    transition,
    events,
    release: stored(manifest, release, actor),
    routeBase: routeBaseOf(manifest) ?? null,
    audit,
  });
}

function update(
  context: MarketplaceContext,
  content: Content & { readonly existing: AppRecord; readonly releases: readonly Release[] },
  call: Call,
): Promise<AppRecord> {
  const { manifest, certificate, release, existing, releases, operation } = content;
  const at = operation.startedAt;
  const actor = actorOf(call.caller);
  const becomesCurrent = !isInstalled(existing.state) && canTransition(existing.state, "install") && isNewer(release, existing);
  const becomesAvailable = !becomesCurrent && isNewer(release, existing);
  const { version: availableVersion, manifestDigest: availableDigest } = release;
  const app: AppRecord = {
    ...existing,
    ...(becomesCurrent ? asCurrent(manifest, release) : {}),
    ...(becomesAvailable ? { availableVersion, availableDigest, undecidedDigest: availableDigest } : {}),
    keyFingerprint: certificate.keyFingerprint,
    certificateFingerprint: certificate.fingerprint,
    updatedAt: at,
  };
  const digest = release.manifestDigest;
  const events = [
    appEvent("app.registered", { ...app, version: manifest.version }, at, actor, { manifestDigest: digest, isUpdate: true }),
  ];
  const isRotation = app.keyFingerprint !== existing.keyFingerprint;
  const facts = {
    ...registrationFacts(app, manifest),
    previousKeyFingerprint: isRotation ? existing.keyFingerprint : undefined,
  };
  const action = isRotation ? "app.rotate_key" : "app.update";
  return context.store.save({
    app,
    operation,
    expectedRowVersion: existing.rowVersion,
    events,
    release: stored(manifest, release, actor),
    ...(becomesCurrent ? { routeBase: routeBaseOf(manifest) ?? null } : {}),
    forget: releasesToForget(releases, app, context.policy.keepVersions, [digest]),
    audit: auditEntry(call, { action, target: `app:${app.name}`, details: facts }),
  });
}

function asCurrent(manifest: AppManifest, release: ReleaseKey): Partial<AppRecord> {
  return {
    ...release,
    displayName: displayName(manifest),
    imageDigest: undefined,
    availableVersion: undefined,
    availableDigest: undefined,
    undecidedDigest: undefined,
  };
}

function stored(manifest: AppManifest, { revision, manifestDigest: digest }: ReleaseKey, registeredBy: string): NewRelease {
  return { manifest, revision, digest, registeredBy };
}

function registrationFacts(app: AppRecord, manifest: AppManifest) {
  const { keyFingerprint, certificateFingerprint } = app;
  return { version: manifest.version, manifestDigest: manifestDigest(manifest), keyFingerprint, certificateFingerprint };
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
