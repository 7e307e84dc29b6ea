import type { Call, Permissions } from "@appserver/kernel";
import { type LiveApps, type Marketplace, shouldRun } from "@appserver/marketplace";
import type { AppChoices } from "@appserver/transports/http";

export interface AgentChoicesDeps {
  readonly apps: Pick<LiveApps, "all">;
  readonly marketplace: Pick<Marketplace, "findOpenPage">;
  readonly permissions: Pick<Permissions, "allowed">;
}

const maxChoices = 200;

/** Returns the apps that a person can choose for a program: those that the person sees, in the order of their names. */
export function agentChoices({ apps, marketplace, permissions }: AgentChoicesDeps) {
  return async (call: Call): Promise<AppChoices> => {
    const seesAll = await permissions.allowed(call.caller, "app:view");
    const running = apps.all().filter(({ app }) => shouldRun(app));
    running.sort((a, b) => a.app.displayName.localeCompare(b.app.displayName));
    const chosen: AppChoices["apps"][number][] = [];
    for (const { app } of running) {
      if (!seesAll && (await marketplace.findOpenPage(app.name, call)) === undefined) continue;
      if (chosen.length === maxChoices) return { apps: chosen, hasMore: true };
      chosen.push({ name: app.name, displayName: app.displayName });
    }
    return { apps: chosen, hasMore: false };
  };
}
