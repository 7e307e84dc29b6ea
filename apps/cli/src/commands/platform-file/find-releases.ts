import type { FindRelease, NewRelease } from "../../platform-file/compare-app.ts";
import { ownerOf } from "../../platform-file/grant-form.ts";
import type { AppEntry, PlatformState } from "../../platform-file/platform-state.ts";
import { certificateHash, loadCertificate, loadRelease, neededApps, type StoredRelease } from "../../platform-file/releases.ts";

/** Reads which releases of a file a folder has. Throws for one that is damaged. */
export async function findReleases(folder: string | undefined, { apps }: PlatformState): Promise<FindRelease> {
  const found = new Map<string, NewRelease>();
  const keyOf = ({ name, manifest }: Pick<AppEntry, "name" | "manifest">): string => `${name} ${manifest}`;
  for (const app of folder === undefined ? [] : apps) {
    const release = await loadRelease(folder ?? "", app);
    if (release) found.set(keyOf(app), await newRelease(folder ?? "", app, release));
  }
  return (app) => found.get(keyOf(app));
}

async function newRelease(folder: string, app: AppEntry, { manifest }: StoredRelease): Promise<NewRelease> {
  const { certificate: pinned } = app;
  const hasCertificate = pinned !== undefined && (await loadCertificate(folder, app, pinned)) !== undefined;
  const needsApproval = manifest.requiredPermissions.filter(
    ({ scope, resourceType, requiresApproval }) => requiresApproval || ownerOf(scope, resourceType) === undefined,
  );
  return {
    needs: neededApps(manifest),
    needsApproval: needsApproval.map(({ scope, resourceType, reason }) => ({ scope, resourceType, reason })),
    imageDigest: manifest.imageDigest,
    certificate: certificateHash(manifest.certificate) ?? "",
    hasCertificate,
  };
}
