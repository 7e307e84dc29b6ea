import { type LiveApps, shouldRun } from "@appserver/marketplace";
import type { LoggedApps } from "@appserver/orchestration";

/** Returns what the logs need to know of an app, as it is stored now. */
export function loggedApps(apps: LiveApps): LoggedApps {
  return {
    find: async (name) => {
      const live = await apps.current(name);
      if (!live) return undefined;
      const { app, placement, target } = live;
      return {
        state: app.state,
        isInstalled: shouldRun(app),
        isEnabled: app.enabled,
        needsContainer: placement.needsContainer || target?.placement.needsContainer === true,
      };
    },
  };
}
