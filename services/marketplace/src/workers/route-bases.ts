import { isInstalled } from "../domain/app-state.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { routeBaseOf } from "../domain/planned-app.ts";
import type { LiveApps } from "./live-apps.ts";

/** The route bases of the installed apps, from memory. A lookup costs no more than the path has segments. */
export class RouteBases {
  readonly #appOf = new Map<string, string>();

  constructor(apps: Pick<LiveApps, "all" | "onChange">) {
    for (const app of apps.all()) this.#add(app);
    apps.onChange(({ name, before, now }) => {
      const earlier = before && baseOf(before);
      if (earlier !== undefined && this.#appOf.get(earlier) === name) this.#appOf.delete(earlier);
      if (now) this.#add(now);
    });
  }

  /** Returns whether a path, without its query, is the route base of an installed app or below one. */
  covers(path: string): boolean {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
      if (this.#appOf.has(path.slice(0, end))) return true;
    return false;
  }

  #add(live: LiveApp): void {
    const base = baseOf(live);
    if (base !== undefined && isInstalled(live.app.state)) this.#appOf.set(base, live.app.name);
  }
}

/** Returns the base without a slash at its end. */
function baseOf({ manifest }: LiveApp): string | undefined {
  return routeBaseOf(manifest)?.replace(/\/+$/, "");
}
