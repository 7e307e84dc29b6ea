import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { renderTable } from "../../table.ts";
import { scheduleJson, scheduleLine } from "./schedule-output.ts";

export async function listSchedules(options: GlobalOptions, appName: string | undefined): Promise<void> {
  const request = appName === undefined ? {} : { appName };
  const { activities } = await connect(options).activities.listActivities(request);
  const found = activities.flatMap(({ schedules }) => schedules);
  if (options.json) {
    printJson(found.map(scheduleJson));
    return;
  }
  const rows = found.map((schedule) => {
    const { id, appName, activity, key } = schedule;
    return [id, [appName, activity, key].join("\n"), scheduleLine(schedule)];
  });
  print(rows.length === 0 ? "there are no schedules" : renderTable(["SCHEDULE", "ACTIVITY, KEY", "WHEN"], rows));
}

export async function setScheduleEnabled(options: GlobalOptions, id: string, enabled: boolean): Promise<void> {
  const { schedule } = await connect(options).activities.setScheduleEnabled({ id, enabled });
  if (!schedule) throw new Error("the response of the platform has no schedule");
  if (options.json) printJson(scheduleJson(schedule));
  else print(`${schedule.id} ${scheduleLine(schedule)}`);
}

export async function deleteSchedule(options: GlobalOptions, id: string): Promise<void> {
  const { schedule } = await connect(options).activities.deleteSchedule({ id });
  if (!schedule) throw new Error("the response of the platform has no schedule");
  if (options.json) printJson(scheduleJson(schedule));
  else print(`${schedule.id} is deleted`);
}
