import { send } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import {
  CancelRunDocument,
  RetryRunDocument,
  RunScheduleNowDocument,
  TriggerActivityDocument,
} from "../../generated/operations.ts";
import type { Run } from "./activity-queries.ts";
import { showRun } from "./live-runs.ts";

interface Trigger {
  readonly appName: string;
  readonly activity: string;
  /** Undefined for none. */
  readonly input: unknown;
}

/** Starts a run and returns it. Rejects with ApiError. */
export async function triggerActivity({ appName, activity, input }: Trigger): Promise<Run> {
  const variables = input === undefined ? { appName, activity } : { appName, activity, input };
  return started((await send(TriggerActivityDocument, variables)).triggerActivity);
}

/** Starts a run with the activity and the input of one that has ended, and returns the new run. Rejects with ApiError. */
export async function retryRun(id: string): Promise<Run> {
  return started((await send(RetryRunDocument, { id })).retryActivityRun);
}

/** Starts a run of a schedule, and returns it. Rejects with ApiError. */
export async function runScheduleNow(id: string): Promise<Run> {
  return started((await send(RunScheduleNowDocument, { id })).runScheduleNow);
}

/** Requests a run to stop, and returns it. Rejects with ApiError. */
export async function cancelRun(id: string): Promise<Run> {
  const { cancelActivityRun: run } = await send(CancelRunDocument, { id });
  showRun(queryClient, run);
  return run;
}

function started(run: Run): Run {
  void queryClient.invalidateQueries({ queryKey: ["runs"] });
  return run;
}
