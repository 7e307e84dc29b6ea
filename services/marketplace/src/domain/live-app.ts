import { rootPermission } from "@appserver/contracts/authorization";
import { type AppApi, appApi, type Unavailability } from "@appserver/contracts/manifest";
import { isRootUser } from "@appserver/contracts/names";
import { type AppManifest, UpgradeStrategy } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { AppRecord, SwitchStrategy } from "./app.ts";
import { upstreamBy } from "./app-state.ts";
import { type Placement, placementOf } from "./placement.ts";
import { holdsRequests } from "./releases.ts";

/** A registered app, in any state, as this process knows it. A change of the app replaces the object. */
export interface LiveApp {
  readonly app: AppRecord;
  /** The manifest of the release that serves, or that an installation would use. Its assets have no contents. */
  readonly manifest: AppManifest;
  readonly placement: Placement;
  /** Undefined for apps without an API. */
  readonly api: AppApi | undefined;
  /** How the app changes to this release. */
  readonly strategy: SwitchStrategy;
  /** Verifies the app's signatures, PEM or DER. */
  readonly certificate: Uint8Array;
  /** What the app is switching to. Set if `app.target` is. */
  readonly target: LiveRelease | undefined;
}

/** A release of an app, in the forms that the platform uses. */
export type LiveRelease = Pick<LiveApp, "manifest" | "placement" | "api" | "strategy">;

export interface LiveAppParts {
  readonly manifest: AppManifest;
  readonly certificate: Uint8Array;
  readonly targetManifest: AppManifest | undefined;
}

export function liveApp(app: AppRecord, { manifest, certificate, targetManifest }: LiveAppParts): LiveApp {
  const target = app.target && targetManifest && liveRelease(targetManifest);
  return { app, certificate, target, ...liveRelease(manifest) };
}

export function liveRelease(manifest: AppManifest): LiveRelease {
  const strategy = strategyOf(manifest);
  return { manifest, placement: placementOf(manifest), api: appApi(manifest), strategy };
}

/** Two containers that write to one storage at the same time would damage it, so an app has to ask for that. */
function strategyOf({ upgrade, storage }: AppManifest): SwitchStrategy {
  if (upgrade === UpgradeStrategy.UNSPECIFIED) return storage.length > 0 ? "replace" : "side_by_side";
  return upgrade === UpgradeStrategy.REPLACE ? "replace" : "side_by_side";
}

/** Returns whether the app's health is checked: by the orchestrator, or by probes. Other apps are healthy once installed. */
export function isChecked({ placement, api }: Pick<LiveApp, "placement" | "api">): boolean {
  return placement.needsContainer || (placement.api === "external" && api?.healthCheck !== undefined);
}

/** Returns the permission without which the container of a release must not run. Undefined if it needs none. */
export function containerPermission({ manifest: { user } }: Pick<LiveRelease, "manifest">): string | undefined {
  return user !== undefined && isRootUser(user) ? rootPermission : undefined;
}

/** Where the requests to an app go. */
export interface Backend {
  /** `http://127.0.0.1:43211/base`, or the manifest's `upstream_base_url`. */
  readonly url: string;
  /** Whether the platform runs it. It then chose the address itself, so the address needs no check. */
  readonly managed: boolean;
  /** Of its instances, if requests are spread over them: `10.244.1.7:3000`. At least one. */
  readonly addresses?: readonly string[] | undefined;
}

/** Returns the backend that serves the API, or else renders the pages. Undefined while its container has no address. */
export function backendOf({ app, api, placement }: Pick<LiveApp, "app" | "api" | "placement">): Backend | undefined {
  if (api && placement.api === "external") return { url: api.upstreamBaseUrl, managed: false };
  if (app.endpoint === undefined) return undefined;
  const { pathname } = new URL(api?.upstreamBaseUrl ?? app.endpoint);
  return { url: new URL(pathname, app.endpoint).href, managed: true, ...(app.addresses ? { addresses: app.addresses } : {}) };
}

/** Returns where requests to a known app go now, or why they do not. */
export function upstreamOf(live: Pick<LiveApp, "app" | "api" | "placement">): Backend | Unavailability {
  const { app } = live;
  // The container of such an app only renders its pages.
  if (live.placement.api === "external") return upstreamBy({ ...app, asleepSince: undefined }, backendOf(live), false);
  return upstreamBy(app, backendOf(live), holdsRequests(app));
}
