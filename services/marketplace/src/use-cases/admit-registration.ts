import { timingSafeEqual, X509Certificate } from "node:crypto";
import { canonicalManifest } from "@appserver/contracts/manifest";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError, type Call, type Caller, callOn, hasAccount, requirePermission } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { type AppCertificate, isSuccessor, parseCertificate } from "../domain/certificate.ts";
import { verifyDetached } from "../domain/detached-signature.ts";
import type { MarketplaceContext } from "./context.ts";
import { requireApp } from "./find-app.ts";
import type { MarketplacePolicy } from "./policy.ts";

export interface RegistrationRequest {
  readonly manifest: AppManifest;
  /** Signature over {@link canonicalManifest} with the certificate's key. */
  readonly manifestSignature?: Uint8Array | undefined;
  readonly token?: string | undefined;
  /** Only checks whether a registration would be refused. Nothing is stored, and the signature may be missing. */
  readonly isDryRun?: true;
}

/**
 * Throws unless the platform's registration policy (`registration: open | token | ca`) admits this caller. Runs before all
 * other checks of the manifest: only callers that may register get a validation.
 */
export async function admitRegistration(context: MarketplaceContext, request: RegistrationRequest, call: Call): Promise<void> {
  const { policy } = context;
  if (call.caller.kind === "system") return;
  const bound = callOn(call, request.manifest.name);
  if (policy.registration === "token" && !request.isDryRun) await requireTokenOrPermission(context, request, bound);
  if (policy.registration === "ca") {
    const { certificate, name } = request.manifest;
    requireIssued(policy, parseCertificate(certificate), name);
  }
}

/**
 * Returns whether the caller may register apps without the registration token. With `registration: ca` the certificate of the app
 * decides.
 */
export async function mayRegister({ policy, permissions }: MarketplaceContext, caller: Caller): Promise<boolean> {
  if (caller.kind === "system" || policy.registration !== "token") return true;
  return hasAccount(caller) && (await permissions.allowed(caller, registrationPermission));
}

/** A token counts before a session: a wrong one is an error of its sender. */
async function requireTokenOrPermission(
  { policy, permissions }: MarketplaceContext,
  { token }: RegistrationRequest,
  call: Call,
): Promise<void> {
  if (token !== undefined) {
    if (isRegistrationToken(policy, token)) return;
    throw new AppError("AUTHENTICATION_FAILED", "the registration token is not valid");
  }
  if (!hasAccount(call.caller)) {
    const expected =
      "registration needs the registration token, or the session of a user, or the token of a service account, that holds app:register";
    throw new AppError("AUTHENTICATION_REQUIRED", expected);
  }
  await requirePermission(permissions, call, registrationPermission);
}

/**
 * Throws PERMISSION_DENIED with `registration: ca` unless one of the platform's authorities issued the certificate for the app.
 */
export function requireIssued(policy: MarketplacePolicy, certificate: AppCertificate | undefined, appName: string): void {
  if (policy.registration !== "ca") return;
  const issuers = (policy.certificateAuthorities ?? []).map((pem) => new X509Certificate(pem));
  const issued = issuers.some((issuer) => certificate?.x509.checkIssued(issuer) && certificate.x509.verify(issuer.publicKey));
  if (!certificate || !issued)
    throw new AppError("PERMISSION_DENIED", "the certificate was not issued by an authority that this platform trusts");
  requireNamed(certificate, appName);
}

/**
 * Checks that the certificate names the app. Otherwise the holder of any certificate of the authority could register under any
 * name.
 */
function requireNamed({ x509 }: AppCertificate, name: string): void {
  if (x509.checkHost(name, { subject: "always", wildcards: false }) !== undefined) return;
  throw new AppError(
    "PERMISSION_DENIED",
    `the certificate is not for ${name}: its subject's CN, or a DNS name of it, must be the app's name`,
    { details: { app: name, field: "certificate", subject: x509.subject, alternatives: x509.subjectAltName ?? null } },
  );
}

/** The app that a registration would write, and the stored app that it would replace. */
export interface IdentityClaim {
  readonly certificate: AppCertificate;
  /** The app that has the name now. */
  readonly existing: AppRecord | undefined;
  readonly changesNothing: boolean;
}

/**
 * Throws unless the request may write under the name. It needs the pinned key, a successor certificate signed by the pinned
 * key, or an administrator as caller. The manifest must also be signed by that key: a certificate is public, so presenting one
 * proves nothing. If unsigned manifests are accepted, repeating a registration (`changesNothing`) needs no signature.
 *
 * Throws CONFLICT for another key, AUTHENTICATION_REQUIRED or AUTHENTICATION_FAILED for the signature.
 */
export async function admitIdentity(
  context: MarketplaceContext,
  request: RegistrationRequest,
  { certificate, existing, changesNothing }: IdentityClaim,
  { caller }: Call,
): Promise<void> {
  await requireOwnKey(context, certificate, request.manifest.name);
  verifySignature(request, certificate);
  const byAdministrator = await isAdministrator(context, caller);
  if (existing && !byAdministrator && existing.keyFingerprint !== certificate.keyFingerprint) {
    await requireSuccessor(context, certificate, existing);
  }
  const acceptsUnsigned = (!existing || changesNothing) && context.policy.allowUnsigned;
  const mayBeUnsigned = byAdministrator || acceptsUnsigned || request.isDryRun === true;
  if (request.manifestSignature === undefined && !mayBeUnsigned) {
    throw new AppError(
      "AUTHENTICATION_REQUIRED",
      "the manifest must be signed with the certificate's key (manifest_signature)",
      {
        details: { field: "manifest_signature" },
      },
    );
  }
}

/** Throws CONFLICT if the key belongs to another app. */
export async function requireOwnKey(
  { store }: MarketplaceContext,
  { keyFingerprint }: AppCertificate,
  appName: string,
): Promise<void> {
  const owner = await store.findByKey(keyFingerprint);
  if (!owner || owner.name === appName) return;
  throw new AppError("CONFLICT", "the certificate's key belongs to another app; each app needs its own key", {
    details: { app: appName, field: "certificate" },
  });
}

function verifySignature(request: RegistrationRequest, certificate: AppCertificate): void {
  if (request.manifestSignature === undefined) return;
  if (verifyDetached(certificate, canonicalManifest(request.manifest), request.manifestSignature)) return;
  throw new AppError(
    "AUTHENTICATION_FAILED",
    "manifest_signature does not verify over the manifest with the certificate's key",
    {
      details: { field: "manifest_signature" },
    },
  );
}

async function requireSuccessor(context: MarketplaceContext, certificate: AppCertificate, existing: AppRecord): Promise<void> {
  const pinned = parseCertificate((await requireApp(context, existing.name)).certificate);
  if (pinned && isSuccessor(certificate, pinned.publicKey)) return;
  throw new AppError("CONFLICT", `${existing.name} is registered under another key`, {
    details: {
      app: existing.name,
      field: "certificate",
      expected: "the same key, a certificate signed by the old key, or an administrator's request",
    },
  });
}

/** The permission of users and service accounts that register apps. */
const registrationPermission = "app:register";

/** The permission of those who act on the identities of apps that others own. */
export const identityPermission = "app:replace_key";

/** Returns whether the caller may act on the identity of any app. Apps may not, even with the permission. */
export async function isAdministrator(context: MarketplaceContext, caller: Caller): Promise<boolean> {
  if (caller.kind === "system") return true;
  return hasAccount(caller) && (await context.permissions.allowed(caller, identityPermission));
}

/**
 * Returns whether a text is the platform's registration token. Returns false if the platform has none. Takes the same time for
 * every wrong text of the token's length.
 */
export function isRegistrationToken({ registrationToken: expected = "" }: MarketplacePolicy, given: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return expected !== "" && a.length === b.length && timingSafeEqual(a, b);
}
