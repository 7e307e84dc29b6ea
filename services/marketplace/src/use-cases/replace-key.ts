import { AppError, actorOf, auditEntry, type Call, initiatorOf, requirePermission } from "@appserver/kernel";
import type { AppRecord, OperationRecord } from "../domain/app.ts";
import { appEvent } from "../domain/app-events.ts";
import type { AppCertificate } from "../domain/certificate.ts";
import { checkCertificate } from "../domain/manifest/check-identity.ts";
import { Violations } from "../domain/manifest/violations.ts";
import { identityPermission, isAdministrator, requireIssued, requireOwnKey } from "./admit-registration.ts";
import type { MarketplaceContext } from "./context.ts";
import { earlierResult } from "./earlier-result.ts";
import { requireApp } from "./find-app.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { type CommandResult, endedOperation } from "./operation.ts";

export interface ReplaceKeyRequest {
  readonly name: string;
  /** PEM or DER. */
  readonly certificate: Uint8Array;
}

/**
 * Pins another certificate to the app (docs/interface/signatures.md#key-replacement). Signatures of the old key are refused
 * from then on, and its next registration needs the new key. Does nothing if the certificate is pinned already.
 *
 * Throws PERMISSION_DENIED unless the caller is an administrator, NOT_FOUND, INVALID_REQUEST for a certificate that no
 * registration may have, and CONFLICT for the key of another app.
 */
export async function replaceKey(context: MarketplaceContext, request: ReplaceKeyRequest, call: Call): Promise<CommandResult> {
  await requirePermission(context.permissions, call, identityPermission);
  if (!(await isAdministrator(context, call.caller))) {
    throw new AppError("PERMISSION_DENIED", "only an administrator may replace the key of an app", {
      details: { permission: identityPermission },
    });
  }
  const earlier = await earlierResult(context, request.name);
  if (earlier) return earlier;
  return context.lock.run(request.name, () =>
    onCurrentApp(async () => {
      const { app } = await requireApp(context, request.name);
      const certificate = requireCertificate(context, request.certificate);
      if (call.caller.kind !== "system") requireIssued(context.policy, certificate, app.name);
      await requireOwnKey(context, certificate, app.name);
      const operation = endedOperation(context, app, { kind: "replace_key", ...initiatorOf(call.caller) });
      if (certificate.fingerprint !== app.certificateFingerprint)
        return { app: await pin(context, app, { bytes: request.certificate, certificate, operation }, call), operation };
      await context.store.addOperation(app, operation);
      return { app, operation };
    }),
  );
}

function requireCertificate({ clock }: MarketplaceContext, bytes: Uint8Array): AppCertificate {
  const violations = new Violations();
  const certificate = checkCertificate(bytes, clock.now(), violations);
  const [first] = violations.found;
  if (certificate && !first) return certificate;
  throw new AppError("INVALID_REQUEST", `the certificate ${first?.message}`, { violations: violations.found });
}

interface KeyReplacement {
  readonly bytes: Uint8Array;
  readonly certificate: AppCertificate;
  readonly operation: OperationRecord;
}

function pin(
  context: MarketplaceContext,
  app: AppRecord,
  { bytes, certificate: { keyFingerprint, fingerprint }, operation }: KeyReplacement,
  call: Call,
): Promise<AppRecord> {
  const at = operation.startedAt;
  const actor = actorOf(call.caller);
  const next: AppRecord = { ...app, keyFingerprint, certificateFingerprint: fingerprint, updatedAt: at };
  return context.store.save({
    app: next,
    expectedRowVersion: app.rowVersion,
    certificate: bytes,
    operation,
    events: [appEvent("app.key_replaced", next, at, actor, { keyFingerprint, actor })],
    audit: auditEntry(call, {
      action: "app.replace_key",
      target: `app:${app.name}`,
      details: { keyFingerprint, certificateFingerprint: fingerprint, previousKeyFingerprint: app.keyFingerprint },
    }),
  });
}
