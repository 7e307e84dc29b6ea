import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { AppRecord } from "./app.ts";
import { type Placement, placementOf } from "./placement.ts";
import { type ProxiedApi, proxiedApi } from "./proxied-api.ts";

/** A registered app, in any state, as this process knows it. A change of the app replaces the object. */
export interface LiveApp {
  readonly app: AppRecord;
  /** Of the app's current version. Its assets have no contents. */
  readonly manifest: AppManifest;
  readonly placement: Placement;
  /** Undefined for apps without an API. */
  readonly api: ProxiedApi | undefined;
  /** Verifies the app's signatures, PEM or DER. */
  readonly certificate: Uint8Array | undefined;
}

export function liveApp(app: AppRecord, manifest: AppManifest, certificate: Uint8Array | undefined): LiveApp {
  const api = manifest.webApp?.api;
  return { app, manifest, certificate, placement: placementOf(manifest), api: api && proxiedApi(app.name, api) };
}
