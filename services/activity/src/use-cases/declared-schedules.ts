import { isAppError, uuidv7 } from "@appserver/kernel";
import type { ActivityDefinition } from "../domain/activity-definition.ts";
import { nextTime } from "../domain/next-time.ts";
import type { DeclaredSchedules } from "../ports.ts";
import type { ActivityContext } from "./context.ts";

/** Returns the schedules of these definitions with their next times. An invalid schedule is omitted. */
export async function declaredSchedules(
  { clock, logger }: Pick<ActivityContext, "clock" | "logger">,
  appName: string,
  definitions: readonly ActivityDefinition[],
): Promise<DeclaredSchedules> {
  const schedules: DeclaredSchedules["schedules"][number][] = [];
  for (const { name: activity, schedule } of definitions) {
    if (!schedule) continue;
    const { cron, intervalSeconds, timezone, input } = schedule;
    try {
      const nextRunAt = await nextTime(schedule, new Date(clock.now()));
      const inputText = input === undefined ? undefined : JSON.stringify(input);
      schedules.push({ id: uuidv7(), activity, cron, intervalSeconds, timezone, input: inputText, nextRunAt });
    } catch (error) {
      if (!isAppError(error, "INVALID_REQUEST")) throw error;
      logger.warn({ app: appName, activity, err: error }, "activity: ignored an invalid declared schedule");
    }
  }
  return { appName, activities: definitions.map(({ name }) => name), schedules };
}
