import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { AppRecord } from "../domain/app.ts";
import type { AppState } from "../domain/app-state.ts";
import { type Placement, placementOf } from "../domain/placement.ts";
import { type ProxiedApi, proxiedApi } from "../domain/proxied-api.ts";
import type { AppStore } from "../ports.ts";

/** States of an app that callers see as installed, even if it cannot serve requests. */
const knownStates: readonly AppState[] = ["INSTALLING", "INSTALLED", "RUNNING", "UNHEALTHY", "FAILED", "UNINSTALLING"];

/** An installed app as the proxy, the orchestrator and the UI use it. */
export interface InstalledApp {
  readonly app: AppRecord;
  readonly manifest: AppManifest;
  readonly placement: Placement;
  /** Undefined for UI-only apps. */
  readonly api: ProxiedApi | undefined;
}

/** The certificate that verifies an app's signatures. */
export interface PinnedCertificate {
  readonly appId: string;
  /** PEM or DER */
  readonly certificate: Uint8Array;
}

/** Reads installed apps. It needs only the store, so the orchestrator's process can use it too. */
export class AppCatalogue {
  readonly #store: AppStore;

  constructor(store: AppStore) {
    this.#store = store;
  }

  async installed(): Promise<readonly InstalledApp[]> {
    const apps = await this.#store.inStates(knownStates);
    const loaded = await Promise.all(apps.map((app) => this.#load(app)));
    return loaded.filter((app) => app !== undefined);
  }

  /** Returns undefined if the app is unknown, only registered, or uninstalled. */
  async find(name: string): Promise<InstalledApp | undefined> {
    const app = await this.#store.findByName(name);
    return app && knownStates.includes(app.state) ? this.#load(app) : undefined;
  }

  /** Returns undefined for an app that {@link find} does not return, and for an app whose installations all failed. */
  async pinnedCertificate(name: string): Promise<PinnedCertificate | undefined> {
    const app = await this.#store.findByName(name);
    if (!app || !knownStates.includes(app.state)) return undefined;
    if (app.state === "FAILED" && app.installedAt === undefined) return undefined;
    const certificate = await this.#store.pinnedCertificate(app);
    return certificate && { appId: app.id, certificate };
  }

  async #load(app: AppRecord): Promise<InstalledApp | undefined> {
    const manifest = await this.#store.manifest(app.id, app.version);
    if (!manifest) return undefined;
    const api = manifest.webApp?.api;
    return {
      app,
      manifest,
      placement: placementOf(manifest),
      api: api && proxiedApi(app.name, api),
    };
  }
}
