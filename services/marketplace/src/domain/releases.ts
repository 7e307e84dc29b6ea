import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AppError } from "@appserver/kernel";
import type { AppRecord, Release } from "./app.ts";
import { compareReleases, type ReleaseNumber } from "./planned-release.ts";
import { compareVersions } from "./version-constraint.ts";

export function isNewer(a: ReleaseNumber, b: ReleaseNumber): boolean {
  return compareReleases(a, b) > 0;
}

/** Returns the newest release; undefined if there is none. */
export function newestOf<T extends ReleaseNumber>(releases: readonly T[]): T | undefined {
  return releases.reduce<T | undefined>(
    (newest, release) => (newest && !isNewer(release, newest) ? newest : release),
    undefined,
  );
}

/**
 * Returns the revision under which new content of `version` is stored. Throws CONFLICT unless the version is higher than every
 * registered one. With `takesRevisions`, the highest version may also be registered again with other content.
 */
export function nextRevision(
  appName: string,
  version: string,
  releases: readonly ReleaseNumber[],
  takesRevisions: boolean,
): number {
  const newest = newestOf(releases);
  if (!newest || compareVersions(version, newest.version) > 0) return 1;
  if (takesRevisions && version === newest.version) return newest.revision + 1;
  throw new AppError(
    "CONFLICT",
    `${appName} ${newest.version} is registered; other content needs a higher version than that, got ${version}`,
    { details: { app: appName, registered: newest.version, version, field: "version" } },
  );
}

/**
 * Returns the digests of the releases to delete, so that `keep` stay. The release that serves, the available one, the target and
 * those in `also` always stay. The others that stay are those that served last, or were registered last.
 */
export function releasesToForget(
  releases: readonly Release[],
  app: Pick<AppRecord, "manifestDigest" | "availableDigest" | "target">,
  keep: number,
  also: readonly string[] = [],
): readonly string[] {
  const needed = new Set([app.manifestDigest, app.availableDigest, app.target?.manifestDigest, ...also]);
  needed.delete(undefined);
  const others = releases
    .filter(({ manifestDigest }) => !needed.has(manifestDigest))
    .sort((a, b) => hasServed(b) - hasServed(a) || lastUse(b) - lastUse(a) || compareReleases(b, a));
  return others.slice(Math.max(0, keep - needed.size)).map(({ manifestDigest }) => manifestDigest);
}

/** A rollback needs a release that served, so that these are kept before any other. */
function hasServed({ servedAt }: Release): number {
  return servedAt === undefined ? 0 : 1;
}

function lastUse({ servedAt, registeredAt }: Release): number {
  return (servedAt ?? registeredAt).getTime();
}

/**
 * Returns whether requests to the app wait: until another release has replaced the running one, or until the running one is back
 * because the other failed.
 */
export function holdsRequests({ target, requestsBufferedSince }: Pick<AppRecord, "target" | "requestsBufferedSince">): boolean {
  return target?.holdsRequests === true || requestsBufferedSince !== undefined;
}

/**
 * Returns the generation that requests to the app go to. While the running deployment is replaced, requests wait for this
 * generation.
 */
export function routedGeneration({ generation, target }: Pick<AppRecord, "generation" | "target">): number {
  return target?.holdsRequests ? target.generation : generation;
}

/** Returns what lists of apps show to people. */
export function presentation(manifest: AppManifest): Pick<AppRecord, "displayName" | "description"> {
  return { displayName: displayName(manifest), description: manifest.description || undefined };
}

/** Returns the name to display. */
export function displayName(manifest: AppManifest): string {
  return manifest.displayName === "" ? manifest.name : manifest.displayName;
}
