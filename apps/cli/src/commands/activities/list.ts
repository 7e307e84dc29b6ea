import { DeclaredActivitySchema } from "@appserver/contracts/proto/appserver/v2/activity";
import { toJson } from "@bufbuild/protobuf";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { renderTable } from "../../table.ts";
import { scheduleLine } from "./schedule-output.ts";

export async function listActivities(options: GlobalOptions, appName: string | undefined): Promise<void> {
  const request = appName === undefined ? {} : { appName };
  const { activities } = await connect(options).activities.listActivities(request);
  if (options.json) {
    printJson(activities.map((activity) => toJson(DeclaredActivitySchema, activity)));
    return;
  }
  const head = ["APP", "ACTIVITY", "TIMEOUT", "RETRIES", "AT A TIME", "SCHEDULES"];
  const rows = activities.map(({ appName: app, definition, schedules }) => {
    const { name = "", timeoutMs = 0, maxRetries = 0, concurrency, singletonKey } = definition ?? {};
    const atATime = singletonKey === undefined ? (concurrency ?? "any") : `1 of ${singletonKey}`;
    return [app, name, `${timeoutMs / 1000} s`, maxRetries, atATime, schedules.map(scheduleLine).join("\n")];
  });
  print(rows.length === 0 ? "no activities are declared" : renderTable(head, rows));
}
