import { quote } from "@appserver/contracts/patterns";
import { AppError, type Call, outsideKeyedWork, requirePermission } from "@appserver/kernel";
import type { AppRecord } from "../../domain/app.ts";
import { isDeletable } from "../../domain/app-state.ts";
import { parseCertificate } from "../../domain/certificate.ts";
import type { SignedRelease } from "../../ports.ts";
import { approvePermissions } from "../approve-permissions.ts";
import type { MarketplaceContext } from "../context.ts";
import { earlierResult } from "../earlier-result.ts";
import { manifestOf } from "../find-app.ts";
import { type InstalledWithWarnings, installApp } from "../install-app.ts";
import { missingApprovals } from "../missing-approvals.ts";
import { registerApp } from "../register-app.ts";

/**
 * Registers an app of the gallery, approves the permissions that it requests if the caller may approve, and installs it
 * (docs/interface/graphql.md#gallery).
 *
 * Throws the errors of `registerApp`, `approvePermissions` and `installApp`; NOT_FOUND for an app that the gallery does not have;
 * INVALID_STATE if this platform cannot run it, or if it is installed; CONFLICT if an app of another publisher has the name.
 */
export async function tryApp(
  context: MarketplaceContext,
  { name }: { readonly name: string },
  call: Call,
): Promise<InstalledWithWarnings> {
  await requirePermission(context.permissions, call, "app:install");
  const earlier = await earlierResult(context, name);
  if (earlier) return { ...earlier, warnings: [] };
  const { gallery } = context;
  const offer = (await gallery?.list())?.find(({ manifest }) => manifest.name === name);
  if (!gallery || !offer) throw new AppError("NOT_FOUND", `the gallery has no app ${quote(name)}`, { details: { app: name } });
  if (offer.obstacle !== undefined) throw new AppError("INVALID_STATE", offer.obstacle, { details: { app: name } });
  const existing = await context.store.findByName(name);
  if (existing && !isDeletable(existing))
    throw new AppError("INVALID_STATE", `${name} is ${existing.state} already`, {
      details: { app: name, from: existing.state, to: "INSTALLING" },
    });
  const release = await gallery.release(name);
  if (existing) requireOwn(existing, release);
  // The receipt of the call is the installation: a repeated call must not take the registration for it.
  const { app } = await outsideKeyedWork(() =>
    registerApp(context, { manifest: release.manifest, manifestSignature: release.signature }, call),
  );
  await outsideKeyedWork(() => approve(context, app, call));
  return installApp(context, { name }, call);
}

/** An administrator may register under the name of any app: the gallery must not take over the app of another publisher. */
function requireOwn({ name, keyFingerprint }: AppRecord, { manifest }: SignedRelease): void {
  if (parseCertificate(manifest.certificate)?.keyFingerprint === keyFingerprint) return;
  throw new AppError("CONFLICT", `the name ${name} belongs to an app with another key: delete its registration first`, {
    details: { app: name, field: "certificate" },
  });
}

/** Without the permission to approve, the installation is refused with what is missing. */
async function approve(context: MarketplaceContext, app: AppRecord, call: Call): Promise<void> {
  const missing = await missingApprovals(context, app, await manifestOf(context, app));
  if (missing.length === 0 || !(await context.permissions.allowed(call.caller, "permission:approve"))) return;
  const { name, manifestDigest } = app;
  await approvePermissions(context, { name, scopes: missing.map(({ scope }) => scope), manifestDigest }, call);
}
