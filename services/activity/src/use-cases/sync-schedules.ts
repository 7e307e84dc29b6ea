import { isAppError, uuidv7 } from "@appserver/kernel";
import type { ActivityDefinition } from "../domain/activity-definition.ts";
import type { ScheduleRecord } from "../ports.ts";
import type { ActivityContext } from "./context.ts";

/** Updates the schedules that apps declare to their current manifests. Schedules set over gRPC are unchanged. */
export async function syncDeclaredSchedules(context: ActivityContext): Promise<void> {
  const apps = context.catalogue.installed();
  for (const { name } of apps) await syncSchedules(context, name, await context.catalogue.definitions(name));
}

export async function syncSchedules(
  context: ActivityContext,
  appName: string,
  definitions: readonly ActivityDefinition[],
): Promise<void> {
  const stored = (await context.schedules.list(appName)).filter(({ declared }) => declared);
  const wanted = new Map(definitions.flatMap(({ name, schedule }) => (schedule ? [[name, schedule] as const] : [])));
  for (const schedule of stored) if (!wanted.has(schedule.activity)) await context.schedules.delete(schedule.id);
  for (const [activity, declared] of wanted) {
    const before = stored.find((schedule) => schedule.activity === activity);
    if (!before || !isSame(before, declared)) await save(context, appName, activity, declared);
  }
}

type Declared = NonNullable<ActivityDefinition["schedule"]>;

function isSame(stored: ScheduleRecord, declared: Declared): boolean {
  return (
    stored.cron === declared.cron &&
    stored.intervalSeconds === declared.intervalSeconds &&
    stored.timezone === declared.timezone &&
    stored.input === textOf(declared.input)
  );
}

async function save(context: ActivityContext, appName: string, activity: string, declared: Declared): Promise<void> {
  const { cron, intervalSeconds, timezone } = declared;
  try {
    const nextRunAt = await context.recurrences.next(declared, new Date(context.clock.now()));
    const trigger = { cron, intervalSeconds, timezone, input: textOf(declared.input) };
    const schedule = { id: uuidv7(), appName, activity, key: declaredKey, enabled: true, declared: true, nextRunAt };
    await context.schedules.save({ ...schedule, ...trigger });
  } catch (error) {
    if (!isAppError(error, "INVALID_REQUEST")) throw error;
    context.logger.warn({ app: appName, activity, err: error }, "activity: ignored an invalid schedule of a manifest");
  }
}

/** Apps cannot use a key of this form. */
const declaredKey = "@declared";

function textOf(input: unknown): string | undefined {
  return input === undefined ? undefined : JSON.stringify(input);
}
