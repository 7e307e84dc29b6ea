import { AppError, type Call, invalidField, uuidv7 } from "@appserver/kernel";
import type { Recurrence } from "../domain/activity-definition.ts";
import { limits } from "../domain/limits.ts";
import { nextTime } from "../domain/next-time.ts";
import type { ScheduleRecord } from "../ports.ts";
import { type ActivityContext, activityEntry, appOf, requireAccess } from "./context.ts";
import { checkedInput } from "./trigger-activity.ts";

export interface ScheduleRequest extends Recurrence {
  readonly appName: string | undefined;
  readonly activity: string;
  readonly key: string;
  readonly input: unknown;
  readonly enabled: boolean;
}

/**
 * Sets a schedule of an activity; the same key replaces it. Throws RATE_LIMIT_EXCEEDED if the app has its maximum of schedules.
 */
export async function scheduleActivity(
  context: ActivityContext,
  request: ScheduleRequest,
  call: Call,
): Promise<ScheduleRecord> {
  const appName = appOf(call, request.appName);
  await requireAccess(context, call, appName, "activity:trigger");
  const { definition } = await context.catalogue.activity(appName, request.activity);
  if (request.key.length > limits.keyLength || request.key.startsWith("@"))
    throw invalidField("key", `must be at most ${limits.keyLength} characters and not start with @`);
  const { cron, intervalSeconds, timezone, activity, key, enabled } = request;
  const nextRunAt = await nextTime(request, new Date(context.clock.now()));
  const input = await checkedInput(context, definition, request.input);
  await requireRoom(context, appName, activity, key);
  const trigger = { cron, intervalSeconds, timezone, input };
  const schedule = { id: uuidv7(), appName, activity, key, enabled, declared: false, nextRunAt, ...trigger };
  return context.schedules.save(schedule, (saved) =>
    activityEntry(call, saved.enabled ? "schedule" : "unschedule", saved, { scheduleId: saved.id, key: saved.key }),
  );
}

async function requireRoom(context: ActivityContext, appName: string, activity: string, key: string): Promise<void> {
  const others = await context.schedules.countOthers(appName, activity, key);
  if (others < limits.schedules) return;
  const message = `${appName} has ${others} schedules: at most ${limits.schedules} are accepted, delete some first`;
  throw new AppError("RATE_LIMIT_EXCEEDED", message, { details: { limit: limits.schedules } });
}
