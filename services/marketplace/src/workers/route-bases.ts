import { type AppStatus, shouldRun } from "../domain/app-state.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { routeBaseOf } from "../domain/planned-app.ts";
import type { LiveApps } from "./live-apps.ts";

/** An app whose pages are not served yet. */
export interface UnservedApp {
  readonly appName: string;
  readonly state: "starting" | "failed";
}

/** What a path shows: the page of an app, or that an app has none yet. */
type Place = UnservedApp | { readonly appName: string; readonly state: "served" };

/** The route bases of apps, from memory. A lookup costs no more than the path has segments. */
export class RouteBases {
  readonly #places = new Map<string, Place>();

  constructor(apps: Pick<LiveApps, "all" | "onChange">) {
    for (const app of apps.all()) this.#add(app);
    apps.onChange(({ name, before, now }) => {
      const earlier = before && baseOf(before);
      if (earlier !== undefined && this.#places.get(earlier)?.appName === name) this.#places.delete(earlier);
      if (now) this.#add(now);
    });
  }

  /**
   * Returns whether a path, without its query, is the route base of an app with pages or below one: an installed app, also if it has
   * failed since.
   */
  covers(path: string): boolean {
    return this.#at(path)?.state === "served";
  }

  /** Returns the app that would have the path if its first installation had ended. */
  unserved(path: string): UnservedApp | undefined {
    const place = this.#at(path);
    return place && place.state !== "served" ? { appName: place.appName, state: place.state } : undefined;
  }

  #at(path: string): Place | undefined {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const place = this.#places.get(path.slice(0, end));
      if (place) return place;
    }
    return undefined;
  }

  #add(live: LiveApp): void {
    const base = baseOf(live);
    const state = stateOf(live.app);
    if (base !== undefined && state !== undefined) this.#places.set(base, { appName: live.app.name, state });
  }
}

function stateOf(app: AppStatus): Place["state"] | undefined {
  if (shouldRun(app)) return "served";
  if (app.state === "INSTALLING") return "starting";
  return app.state === "FAILED" ? "failed" : undefined;
}

function baseOf({ manifest }: LiveApp): string | undefined {
  return routeBaseOf(manifest);
}
