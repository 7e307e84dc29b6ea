import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { Problem } from "@appserver/kernel";
import type { AppImage } from "./app-image.ts";
import type { AppState } from "./app-state.ts";
import type { RequiredScope } from "./required-permissions.ts";

export interface Dependency {
  readonly appName: string;
  readonly hard: boolean;
  readonly versionConstraint: string | undefined;
}

/** The properties of a registered app that plans use. */
export interface RegisteredApp {
  readonly name: string;
  readonly version: string;
  readonly manifestDigest: string;
  readonly state: AppState;
  readonly dependencies: readonly Dependency[];
  readonly routeBase?: string | undefined;
  /** The release that a running upgrade or rollback of the app switches to. */
  readonly target?: Pick<RegisteredApp, "version" | "dependencies" | "routeBase"> | undefined;
}

/** A registered app that a plan may install. */
export interface PlannedApp extends RegisteredApp {
  /** Undefined: the platform runs no container of it. */
  readonly image?: AppImage | undefined;
  /** Permissions of the manifest that need an approval and lack it. */
  readonly approvalsNeeded: readonly RequiredScope[];
  /** Limits of the container above the operator's maximum. */
  readonly excessiveLimits?: readonly Problem[] | undefined;
}

/** Returns the dependencies that a manifest declares. */
export function dependenciesOf(manifest: AppManifest): readonly Dependency[] {
  return manifest.dependencies.map(({ appName, kind, versionConstraint }) => ({
    appName,
    hard: kind === DependencyKind.HARD,
    versionConstraint: versionConstraint || undefined,
  }));
}

/** Returns the path under which the app's pages are served, without a slash at its end, or undefined if it has no pages. */
export function routeBaseOf(manifest: AppManifest): string | undefined {
  return manifest.webApp?.ui?.routeBase.replace(/\/+$/, "") || undefined;
}
