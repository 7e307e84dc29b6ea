import type { Activity } from "@appserver/activity";
import { sleepTimeMs } from "@appserver/contracts/settings";
import type { Hooks } from "@appserver/hooks";
import type { LiveApp, LiveApps } from "@appserver/marketplace";
import type { createSleepTimes } from "@appserver/settings";
import type { SleepApp, SleepSettings, WorkSource } from "@appserver/sleep";

/** A start takes longer than an app that has a schedule every minute would sleep. */
const aheadMs = 90_000;

/** Returns the apps that have a container, in the form of the sleep service. */
export function sleepApps(apps: LiveApps): { all(): readonly SleepApp[] } {
  return { all: () => apps.all().flatMap((live) => (live.placement.needsContainer ? toSleepApp(live) : [])) };
}

function toSleepApp({ app }: LiveApp): SleepApp {
  const { id, name, generation, endpoint = "" } = app;
  return { id, name, is: stateOf(app), start: `${generation} ${endpoint}` };
}

function stateOf({ state, enabled, target, asleepSince }: LiveApp["app"]): SleepApp["is"] {
  if (state !== "RUNNING" || !enabled || target) return "other";
  return asleepSince ? "asleep" : "awake";
}

export function sleepSettings(times: ReturnType<typeof createSleepTimes>): SleepSettings {
  return {
    all: async () => new Map([...(await times.all())].map(([id, time]) => [id, time === "never" ? time : sleepTimeMs[time]])),
  };
}

/** Returns the work that keeps apps awake, and wakes them. */
export function appWork(hooks: Pick<Hooks, "work">, activity: Pick<Activity, "work">): readonly WorkSource[] {
  return [
    { due: (names) => hooks.work.dueApps(names), busy: (names) => hooks.work.busyApps(names) },
    { due: (names) => activity.work.dueApps(names), busy: (names) => activity.work.busyApps(names, aheadMs) },
  ];
}
