import { ask } from "../../client.ts";
import { ActivitySchedulesDocument, DeleteScheduleDocument, SetScheduleEnabledDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { renderTable } from "../../table.ts";
import { scheduleLine } from "./schedule-output.ts";

export async function listSchedules(options: GlobalOptions, appName: string | undefined): Promise<void> {
  const { activitySchedules: schedules } = await ask(options, ActivitySchedulesDocument, { appName });
  if (options.json) {
    printJson(schedules);
    return;
  }
  const rows = schedules.map((schedule) => {
    const { id, appName, activity, key } = schedule;
    return [id, [appName, activity, key].join("\n"), scheduleLine(schedule)];
  });
  print(rows.length === 0 ? "there are no schedules" : renderTable(["SCHEDULE", "ACTIVITY, KEY", "WHEN"], rows));
}

export async function setScheduleEnabled(options: GlobalOptions, id: string, enabled: boolean): Promise<void> {
  const { setScheduleEnabled: schedule } = await ask(options, SetScheduleEnabledDocument, { id, enabled });
  if (options.json) printJson(schedule);
  else print(`${schedule.id} ${scheduleLine(schedule)}`);
}

export async function deleteSchedule(options: GlobalOptions, id: string): Promise<void> {
  const { deleteSchedule: schedule } = await ask(options, DeleteScheduleDocument, { id });
  if (options.json) printJson(schedule);
  else print(`${schedule.id} is deleted`);
}
