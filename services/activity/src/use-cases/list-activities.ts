import { type Call, invalidField, isUuid, pageSize } from "@appserver/kernel";
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

export interface SchedulesRequest {
  readonly appName: string | undefined;
  /** 1 to 250. Undefined: all. */
  readonly first: number | undefined;
  /** Id of the last schedule seen. */
  readonly after: string | undefined;
}

/** Returns the schedules of one app, or of all. Throws INVALID_REQUEST for a schedule in `after` that does not exist. */
export async function listSchedules(
  context: ActivityContext,
  { appName: named, first, after: id }: SchedulesRequest,
  call: Call,
): Promise<readonly ScheduleRecord[]> {
  const appName = await visibleApp(context, named, call);
  const after = id !== undefined && isUuid(id) ? await context.schedules.find(id) : undefined;
  if (id !== undefined && (!after || (appName !== undefined && after.appName !== appName)))
    throw invalidField("after", "must be the id of a schedule in this list");
  if (first === undefined && !after) return context.schedules.list(appName);
  return context.schedules.list(appName, { after, limit: first === undefined ? Number.MAX_SAFE_INTEGER : pageSize(first) });
}
