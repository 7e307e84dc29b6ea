import type { Call } from "@appserver/kernel";
import type { ActivityDefinition } from "../domain/activity-definition.ts";
import type { ScheduleRecord } from "../ports.ts";
import type { ActivityContext } from "./context.ts";
import { visibleApp } from "./read-runs.ts";

export interface DeclaredActivity {
  readonly appName: string;
  readonly definition: ActivityDefinition;
  readonly schedules: readonly ScheduleRecord[];
}

/** Returns the declared activities of installed apps, with their schedules. */
export async function listActivities(
  context: ActivityContext,
  named: string | undefined,
  call: Call,
): Promise<readonly DeclaredActivity[]> {
  const appName = await visibleApp(context, named, call);
  const apps = appName === undefined ? context.catalogue.installed().map(({ name }) => name) : [appName];
  const schedules = await context.schedules.list(appName);
  const declared = await Promise.all(
    apps.map(async (app) =>
      (await context.catalogue.definitions(app)).map((definition) => ({
        appName: app,
        definition,
        schedules: schedules.filter((schedule) => schedule.appName === app && schedule.activity === definition.name),
      })),
    ),
  );
  return declared.flat();
}

/** Returns the schedules of one app, or of all. */
export async function listSchedules(
  context: ActivityContext,
  named: string | undefined,
  call: Call,
): Promise<readonly ScheduleRecord[]> {
  return context.schedules.list(await visibleApp(context, named, call));
}
