import { ask } from "../../client.ts";
import { ActivityRunsDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { oneOf } from "../../one-of.ts";
import { print, printJson } from "../../output.ts";
import { takeFromPages } from "../../pages.ts";
import { runStatuses, runTable } from "./run-output.ts";

export async function listRuns(
  options: GlobalOptions,
  appName: string | undefined,
  flags: { readonly status?: string; readonly limit: number },
): Promise<void> {
  const filter = { appName, status: oneOf(runStatuses, flags.status, "--status") };
  const runs = await takeFromPages({ limit: flags.limit, pageSize: 50 }, async (page) => {
    return (await ask(options, ActivityRunsDocument, { ...filter, ...page })).activityRuns;
  });
  if (options.json) printJson(runs);
  else print(runs.length === 0 ? "no runs match" : runTable(runs));
}
