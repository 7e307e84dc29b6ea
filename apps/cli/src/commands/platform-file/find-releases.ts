import type { FindRelease } from "../../platform-file/compare-app.ts";
import type { AppEntry, PlatformState } from "../../platform-file/platform-state.ts";
import { loadRelease, neededApps } from "../../platform-file/releases.ts";

/** Reads which releases of a file a folder has. Throws for one that is damaged. */
export async function findReleases(folder: string | undefined, { apps }: PlatformState): Promise<FindRelease> {
  const found = new Map<string, { readonly needs: readonly string[] }>();
  const keyOf = ({ name, manifest }: Pick<AppEntry, "name" | "manifest">): string => `${name} ${manifest}`;
  for (const app of folder === undefined ? [] : apps) {
    const release = await loadRelease(folder ?? "", app);
    if (release) found.set(keyOf(app), { needs: neededApps(release.manifest) });
  }
  return (app) => found.get(keyOf(app));
}
