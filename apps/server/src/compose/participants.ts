import type { Activity } from "@appserver/activity";
import type { Hooks } from "@appserver/hooks";
import type { AppParticipant, AppRecord } from "@appserver/marketplace";
import type { Deployments } from "@appserver/orchestration";
import type { SettingsService } from "@appserver/settings";
import { toHookApp } from "../wiring/app-forms.ts";

// What the other services do when an app is installed, purged or deleted.

export function settingsParticipant(settings: SettingsService): AppParticipant {
  return {
    name: "settings",
    prepare: ({ app }) => settings.prepare(app.id),
    conditions: async ({ id }) =>
      (await settings.conditions(id)).map(({ since, ...condition }) => ({
        ...condition,
        lastTransitionTime: since.toISOString(),
      })),
    purge: ({ id }, actor = "system") => settings.purge(id, actor),
  };
}

export function hooksParticipant(hooks: Hooks): AppParticipant {
  return {
    name: "hooks",
    onCreate: (live, installation) => hooks.onCreate({ app: toHookApp(live), ...installation }),
    forget: ({ name }) => hooks.forget(name),
  };
}

export function containersParticipant(deployments: Pick<Deployments, "removeData">): AppParticipant {
  const removeData = ({ id, name, lastGeneration }: AppRecord): Promise<void> =>
    deployments.removeData({ appId: id, appName: name, generation: lastGeneration });
  return { name: "containers", purge: removeData, forget: removeData };
}

export function activityParticipant(activity: Activity): AppParticipant {
  return {
    name: "activity",
    checkManifest: (manifest) => activity.manifestViolations(manifest),
    purge: ({ name }) => activity.purge(name),
    forget: ({ name }) => activity.forget(name),
  };
}
