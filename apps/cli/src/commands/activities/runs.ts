import type { ActivityRun } from "@appserver/contracts/proto/appserver/v2/activity";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { parseStatus, runJson, runTable } from "./run-output.ts";

const pageSize = 250;

export async function listRuns(
  options: GlobalOptions,
  appName: string | undefined,
  flags: { readonly status?: string; readonly limit: number },
): Promise<void> {
  const platform = connect(options);
  const filter = {
    ...(appName === undefined ? {} : { appName }),
    ...(flags.status === undefined ? {} : { status: parseStatus(flags.status) }),
  };
  const runs: ActivityRun[] = [];
  let pageToken = "";
  do {
    const size = Math.min(pageSize, flags.limit - runs.length);
    const page = await platform.activities.listRuns({ ...filter, pageSize: size, pageToken });
    runs.push(...page.runs);
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && runs.length < flags.limit);
  if (options.json) printJson(runs.map(runJson));
  else print(runs.length === 0 ? "no runs match" : runTable(runs));
}
