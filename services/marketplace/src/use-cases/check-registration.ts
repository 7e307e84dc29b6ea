import { manifestDigest } from "@appserver/contracts/manifest";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { Call } from "@appserver/kernel";
import type { AppRecord, Release } from "../domain/app.ts";
import type { AppCertificate } from "../domain/certificate.ts";
import { newestOf, nextRevision } from "../domain/releases.ts";
import { admitIdentity, type RegistrationRequest } from "./admit-registration.ts";
import type { MarketplaceContext } from "./context.ts";

/** What a manifest is stored as. */
export interface CheckedRegistration {
  readonly existing: AppRecord | undefined;
  readonly releases: readonly Release[];
  /** The release that the manifest is stored as, or already was stored as. */
  readonly release: ReleaseKey;
  readonly changesNothing: boolean;
}

export type ReleaseKey = Pick<Release, "version" | "revision" | "manifestDigest">;

/** Checks whether the manifest may be stored, by its name, key and version. Throws the reason for a refusal. */
export async function checkRegistration(
  context: MarketplaceContext,
  request: RegistrationRequest,
  certificate: AppCertificate,
  call: Call,
): Promise<CheckedRegistration> {
  const { manifest } = request;
  const existing = await context.store.findByName(manifest.name);
  const releases = existing ? await context.store.releases(existing.id) : [];
  const digest = manifestDigest(manifest);
  const known = releases.find((release) => release.manifestDigest === digest);
  const same = known && existing && isReturn(context, known, existing, releases) ? undefined : known;
  const changesNothing = same !== undefined && existing?.certificateFingerprint === certificate.fingerprint;
  await admitIdentity(context, request, { certificate, existing, changesNothing }, call);
  const release = same ?? newRelease(context, manifest, digest, releases);
  return { existing, releases, release, changesNothing };
}

/**
 * Returns whether the newest version gets content again that an earlier revision of it had, and that the app no longer has. It becomes the
 * newest revision.
 */
function isReturn(
  { policy }: MarketplaceContext,
  known: Release,
  { manifestDigest: served, target }: AppRecord,
  releases: readonly Release[],
): boolean {
  if (policy.registration !== "open" || [served, target?.manifestDigest].includes(known.manifestDigest)) return false;
  const newest = newestOf(releases);
  return newest?.version === known.version && newest.revision > known.revision;
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
