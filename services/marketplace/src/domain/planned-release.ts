import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type AppImage, imageOf } from "./app-image.ts";
import { type Dependency, dependenciesOf, routeBaseOf } from "./planned-app.ts";
import type { RequiredScope } from "./required-permissions.ts";
import { compareVersions } from "./version-constraint.ts";

/** Identifies a release among those of its app. */
export interface ReleaseNumber {
  readonly version: string;
  /** 1, or higher if other content was registered under the same version. */
  readonly revision: number;
}

/** The properties of a registered release that the plan of an upgrade uses. */
export interface PlannedRelease extends ReleaseNumber {
  readonly manifestDigest: string;
  readonly dependencies: readonly Dependency[];
  readonly routeBase: string | undefined;
  readonly minPlatformVersion: string | undefined;
  /** Whether the previous version cannot run again after this one. */
  readonly irreversibleMigration: boolean;
  /** Undefined: the platform runs no container of it. */
  readonly image: AppImage | undefined;
  /** Permissions of the manifest that need an approval and lack it. */
  readonly approvalsNeeded: readonly RequiredScope[];
}

export function plannedRelease(
  manifest: AppManifest,
  stored: Pick<PlannedRelease, "revision" | "manifestDigest" | "approvalsNeeded">,
): PlannedRelease {
  return {
    ...stored,
    version: manifest.version,
    dependencies: dependenciesOf(manifest),
    routeBase: routeBaseOf(manifest),
    minPlatformVersion: manifest.minPlatformVersion || undefined,
    irreversibleMigration: manifest.irreversibleMigration,
    image: imageOf(manifest),
  };
}

/** Returns a negative number if a is older than b, and zero if they are the same release. */
export function compareReleases(a: ReleaseNumber, b: ReleaseNumber): number {
  return compareVersions(a.version, b.version) || a.revision - b.revision;
}

/** Formats a release for messages: "1.2.0", or "1.2.0 (revision 3)". */
export function describeRelease({ version, revision }: ReleaseNumber): string {
  return revision > 1 ? `${version} (revision ${revision})` : version;
}
