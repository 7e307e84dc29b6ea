import { timingSafeEqual, X509Certificate } from "node:crypto";
import { canonicalManifest } from "@appserver/contracts/manifest";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError, type Caller } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { type AppCertificate, isSuccessor, parseCertificate } from "../domain/certificate.ts";
import { verifyDetached } from "../domain/detached-signature.ts";
import type { MarketplaceContext } from "./context.ts";

export interface RegistrationRequest {
  readonly manifest: AppManifest;
  /** Over {@link canonicalManifest}, with the certificate's key. */
  readonly manifestSignature?: Uint8Array | undefined;
  readonly token?: string | undefined;
  readonly caller: Caller;
}

/** Whether this platform takes registrations from this caller at all (`registration: open | token | ca`). */
export function admitRegistration(
  context: MarketplaceContext,
  request: RegistrationRequest,
  certificate: AppCertificate,
): void {
  const { policy } = context;
  if (request.caller.kind === "system") return;
  if (policy.registration === "token") {
    if (request.token === undefined) throw new AppError("AUTHENTICATION_REQUIRED", "registration needs a token");
    if (!sameText(request.token, policy.registrationToken ?? ""))
      throw new AppError("AUTHENTICATION_FAILED", "the registration token is not valid");
  }
  if (policy.registration === "ca") {
    const issuers = (policy.certificateAuthorities ?? []).map((pem) => new X509Certificate(pem));
    const issued = issuers.some((issuer) => certificate.x509.checkIssued(issuer) && certificate.x509.verify(issuer.publicKey));
    if (!issued)
      throw new AppError("PERMISSION_DENIED", "the certificate was not issued by an authority that this platform trusts");
  }
}

/**
 * Whether the request may write under the name: the same key, a successor certificate signed by the pinned key, or an
 * administrator; and the manifest itself signed by that key. A certificate is public, so holding one proves nothing.
 *
 * Throws CONFLICT for another key, AUTHENTICATION_REQUIRED or AUTHENTICATION_FAILED for the signature.
 */
export async function admitIdentity(
  context: MarketplaceContext,
  request: RegistrationRequest,
  certificate: AppCertificate,
  existing: AppRecord | undefined,
): Promise<void> {
  const owner = await context.store.findByKey(certificate.keyFingerprint);
  if (owner && owner.name !== request.manifest.name) {
    throw new AppError("CONFLICT", "the certificate's key belongs to another app; every app has a key of its own", {
      details: { app: request.manifest.name, field: "certificate" },
    });
  }
  verifySignature(request, certificate);
  const byAdministrator = await isAdministrator(context, request.caller);
  if (existing && !byAdministrator && existing.keyFingerprint !== certificate.keyFingerprint) {
    await requireSuccessor(context, existing, certificate);
  }
  const mayBeUnsigned = byAdministrator || (!existing && context.policy.allowUnsigned);
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

async function requireSuccessor(context: MarketplaceContext, existing: AppRecord, certificate: AppCertificate): Promise<void> {
  const stored = await context.store.manifest(existing.id, existing.version);
  const pinned = stored && parseCertificate(stored.certificate);
  if (pinned && isSuccessor(certificate, pinned.publicKey)) return;
  throw new AppError("CONFLICT", `${existing.name} is registered under another key`, {
    details: {
      app: existing.name,
      field: "certificate",
      expected: "the same key, a certificate signed by the old key, or an administrator's request",
    },
  });
}

async function isAdministrator(context: MarketplaceContext, caller: Caller): Promise<boolean> {
  if (caller.kind === "system") return true;
  return caller.kind === "user" && (await context.permissions.allowed(caller, "app:register"));
}

function sameText(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return expected !== "" && a.length === b.length && timingSafeEqual(a, b);
}
