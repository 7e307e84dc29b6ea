import type { Activity } from "@appserver/activity";
import type { Deployments } from "@appserver/contracts/deployments";
import type { ReplicaLimit } from "@appserver/contracts/settings";
import type { Hooks } from "@appserver/hooks";
import { type AppParticipant, type AppRecord, keepsDeliveries, runsActivities } from "@appserver/marketplace";
import type { SettingsService } from "@appserver/settings";
import { declaredActivities, declaredHooks, toHookApp, toSettingsApp } from "../wiring/app-forms.ts";
import { containerConditions } from "./container-conditions.ts";

// What the other services do when an app is installed, purged or deleted.

export function settingsParticipant(settings: SettingsService, limit: ReplicaLimit): AppParticipant {
  return {
    name: "settings",
    prepare: (live) => settings.prepare(toSettingsApp(live, limit)),
    conditions: async ({ id }) =>
      (await settings.conditions(id)).map(({ since, ...condition }) => ({
        ...condition,
        lastTransitionTime: since.toISOString(),
      })),
    faultyAmong: (apps) => settings.faultyAmong(apps.map((live) => toSettingsApp(live, limit))),
    purge: ({ id }, by) => settings.purge(id, by),
  };
}

export function hooksParticipant(hooks: Hooks): AppParticipant {
  return {
    name: "hooks",
    declarations: async (live) =>
      keepsDeliveries(live.app) ? hooks.declarations(declaredHooks(live)) : (tx) => hooks.unsubscribe(tx, live.app.name),
    onCreate: (live, installation) => hooks.onCreate({ app: toHookApp(live), ...installation }),
    forget: ({ name }) => hooks.forget(name),
  };
}

export function containersParticipant(
  deployments: Pick<Deployments, "removeData" | "database" | "fullDatabases" | "faults" | "find" | "degraded">,
): AppParticipant {
  const removeData = ({ id, name, lastGeneration }: AppRecord): Promise<void> =>
    deployments.removeData({ appId: id, appName: name, generation: lastGeneration });
  return {
    name: "containers",
    conditions: async ({ id }) =>
      containerConditions(await deployments.faults(id), await deployments.database(id), await deployments.find(id)),
    faultyAmong: async () => [
      ...(await deployments.fullDatabases()),
      ...(await deployments.faults()).map(({ appId }) => appId),
      ...(await deployments.degraded()),
    ],
    purge: removeData,
    forget: removeData,
  };
}

export function activityParticipant(activity: Activity): AppParticipant {
  return {
    name: "activity",
    declarations: async (live) => (runsActivities(live.app) ? activity.declarations(declaredActivities(live)) : async () => {}),
    checkManifest: (manifest) => activity.manifestViolations(manifest),
    purge: ({ name }) => activity.purge(name),
    forget: ({ name }) => activity.forget(name),
  };
}
