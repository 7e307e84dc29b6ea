import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { actorOf, auditEntry, type Call, pipelineOf, uuidv7 } from "@appserver/kernel";
import type { AppRecord, AppTransition, CloneOrigin, OperationRecord, Release } from "../domain/app.ts";
import { appEvent, stateChanged } from "../domain/app-events.ts";
import { canTransition, isInstalled } from "../domain/app-state.ts";
import type { AppCertificate } from "../domain/certificate.ts";
import { routeBaseOf } from "../domain/planned-app.ts";
import { isNewer, presentation, releasesToForget } from "../domain/releases.ts";
import type { NewRelease } from "../ports.ts";
import type { ReleaseKey } from "./check-registration.ts";
import type { MarketplaceContext } from "./context.ts";

/** An admitted manifest with its certificate, and the command that stores it. */
export interface RegistrationContent {
  readonly manifest: AppManifest;
  readonly signature: Uint8Array | undefined;
  readonly certificate: AppCertificate;
  readonly release: ReleaseKey;
  readonly operation: OperationRecord;
  /** Set for a clone. */
  readonly clonedFrom?: CloneOrigin;
}

/** Stores a new app. */
export function createApp(context: MarketplaceContext, content: RegistrationContent, call: Call): Promise<AppRecord> {
  const { manifest, certificate, release, operation, clonedFrom } = content;
  const at = operation.startedAt;
  const actor = actorOf(call.caller);
  const transition: AppTransition = { from: undefined, to: "REGISTERED", reason: "registered", actor, at };
  const app: AppRecord = {
    id: uuidv7(at.getTime()),
    name: manifest.name,
    ...presentation(manifest),
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
    clonedFrom,
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
    details: registrationFacts(app, release),
  });
  return context.store.save({
    app,
    operation,
    expectedRowVersion: undefined,
    transition,
    events,
    release: stored(content, call),
    routeBase: routeBaseOf(manifest) ?? null,
    audit,
  });
}

/** Stores another release of an app, or another certificate. */
export function updateApp(
  context: MarketplaceContext,
  content: RegistrationContent & { readonly existing: AppRecord; readonly releases: readonly Release[] },
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
    ...(becomesAvailable ? { availableVersion, availableDigest, releaseAwaitingAutoUpgrade: availableDigest } : {}),
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
    ...registrationFacts(app, release),
    previousKeyFingerprint: isRotation ? existing.keyFingerprint : undefined,
  };
  const action = isRotation ? "app.rotate_key" : "app.update";
  return context.store.save({
    app,
    operation,
    expectedRowVersion: existing.rowVersion,
    events,
    release: stored(content, call),
    ...(becomesCurrent ? { routeBase: routeBaseOf(manifest) ?? null } : {}),
    forget: releasesToForget(releases, app, context.policy.keepVersions, [digest]),
    audit: auditEntry(call, { action, target: `app:${app.name}`, details: facts }),
  });
}

function asCurrent(manifest: AppManifest, release: ReleaseKey): Partial<AppRecord> {
  return {
    ...release,
    ...presentation(manifest),
    imageDigest: undefined,
    availableVersion: undefined,
    availableDigest: undefined,
    releaseAwaitingAutoUpgrade: undefined,
  };
}

function stored({ manifest, signature, release }: RegistrationContent, { caller }: Call): NewRelease {
  const { revision, manifestDigest: digest } = release;
  return { manifest, signature, revision, digest, registeredBy: actorOf(caller), source: pipelineOf(caller)?.run };
}

function registrationFacts(app: AppRecord, { version, manifestDigest }: ReleaseKey) {
  const { keyFingerprint, certificateFingerprint } = app;
  return { version, manifestDigest, keyFingerprint, certificateFingerprint };
}
