import { ask } from "../../client.ts";
import { ActivitiesDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { renderTable } from "../../table.ts";
import { scheduleLine } from "./schedule-output.ts";

export async function listActivities(options: GlobalOptions, appName: string | undefined): Promise<void> {
  const { activities } = await ask(options, ActivitiesDocument, { appName });
  if (options.json) {
    printJson(activities);
    return;
  }
  const head = ["APP", "ACTIVITY", "TIMEOUT", "RETRIES", "AT A TIME", "SCHEDULES"];
  const rows = activities.map(({ appName: app, name, timeoutMs, maxRetries, concurrency, singletonKey, schedules }) => {
    const atATime = singletonKey == null ? (concurrency ?? "any") : `1 of ${singletonKey}`;
    return [app, name, `${timeoutMs / 1000} s`, maxRetries, atATime, schedules.map(scheduleLine).join("\n")];
  });
  print(rows.length === 0 ? "no activities are declared" : renderTable(head, rows));
}
