import { createHash } from "node:crypto";
import { manifestDigestInput } from "@appserver/contracts/manifest";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError, actorOf, uuidv7 } from "@appserver/kernel";
import type { AppRecord, AppTransition, Problem } from "../domain/app.ts";
import { appEvent, stateChanged } from "../domain/app-events.ts";
import type { AppCertificate } from "../domain/certificate.ts";
import { compareVersions } from "../domain/version-constraint.ts";
import { admitIdentity, admitRegistration, type RegistrationRequest } from "./admit-registration.ts";
import type { MarketplaceContext } from "./context.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { validateManifest } from "./validate-manifest.ts";

export interface Registration {
  readonly app: AppRecord;
  /** False when the same manifest was there already. */
  readonly changed: boolean;
  readonly warnings: readonly Problem[];
}

/**
 * Stores a manifest and its assets under its name (specification §3.1, design/behaviour "Registration").
 *
 * Throws INVALID_REQUEST with every violation, CONFLICT for another key or for other content under a version that is
 * there, AUTHENTICATION_* and PERMISSION_DENIED as {@link admitRegistration} and {@link admitIdentity} say.
 */
export async function registerApp(context: MarketplaceContext, request: RegistrationRequest): Promise<Registration> {
  const { manifest } = request;
  const { violations, warnings, certificate } = await validateManifest(context, manifest);
  if (violations.length > 0 || !certificate) {
    const first = violations[0];
    const rest = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
    throw new AppError("INVALID_REQUEST", `the manifest is not valid: ${first?.field} ${first?.message}${rest}`, {
      violations,
    });
  }
  admitRegistration(context, request, certificate);
  return context.lock.run(manifest.name, async () => {
    const stored = await onCurrentApp(async () => {
      const existing = await context.store.findByName(manifest.name);
      await admitIdentity(context, request, certificate, existing);
      return existing ? update(context, request, certificate, existing) : create(context, request, certificate);
    });
    const problems = warnings.map(
      (warning): Problem => ({ code: "INVALID_REQUEST", message: `${warning.field} ${warning.message}` }),
    );
    const missing = await dependencyWarnings(context, manifest);
    return { ...stored, warnings: [...problems, ...missing] };
  });
}

type Stored = Pick<Registration, "app" | "changed">;

async function create(context: MarketplaceContext, request: RegistrationRequest, certificate: AppCertificate): Promise<Stored> {
  const { manifest } = request;
  const at = new Date(context.clock.now());
  const actor = actorOf(request.caller);
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
  return { app: await context.store.save({ app, expectedRowVersion: undefined, transition, events, manifest }), changed: true };
}

async function update(
  context: MarketplaceContext,
  request: RegistrationRequest,
  certificate: AppCertificate,
  existing: AppRecord,
): Promise<Stored> {
  const { manifest } = request;
  const digest = digestOf(manifest);
  const same = await context.store.manifest(existing.id, manifest.version);
  const sameContent = same !== undefined && digestOf(same) === digest;
  if (sameContent && existing.certificateFingerprint === certificate.fingerprint) return { app: existing, changed: false };
  const newest = existing.availableVersion ?? existing.version;
  if (!sameContent && (same !== undefined || compareVersions(manifest.version, newest) <= 0)) {
    throw new AppError(
      "CONFLICT",
      `${existing.name} ${newest} is registered; other content needs a higher version than that, got ${manifest.version}`,
      {
        details: { app: existing.name, registered: newest, version: manifest.version, field: "version" },
      },
    );
  }
  const at = new Date(context.clock.now());
  const actor = actorOf(request.caller);
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
  return { app: await context.store.save({ app, expectedRowVersion: existing.rowVersion, events, manifest }), changed: true };
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
