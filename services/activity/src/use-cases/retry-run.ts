import { AppError, type Call } from "@appserver/kernel";
import { isTerminal, type RunRecord, shownStatus } from "../domain/run.ts";
import type { ActivityContext } from "./context.ts";
import { requireRun } from "./read-runs.ts";
import { checkInput, earlierRun, startRun } from "./trigger-activity.ts";

/**
 * Starts a new run with the activity and the input of one that has ended (docs/interface/activities.md#repeat). Throws
 * INVALID_STATE if it has not ended, and INVALID_REQUEST if the activity no longer accepts its input.
 */
export async function retryRun(context: ActivityContext, runId: string, call: Call): Promise<RunRecord> {
  const ended = await requireRun(context, runId, "activity:trigger", call);
  const earlier = await earlierRun(context);
  if (earlier) return earlier;
  const status = shownStatus(ended);
  if (!isTerminal(status)) {
    const message = `run ${ended.id} is ${status}: only a run that has ended can be repeated`;
    throw new AppError("INVALID_STATE", message, { details: { run: ended.id, status } });
  }
  const { app, definition } = await context.catalogue.activity(ended.appName, ended.activity);
  const { input } = await context.runReads.values(ended.id);
  // Without this, a run that was deleted since it was found would be repeated without its input.
  await requireRun(context, runId, "activity:trigger", call);
  await checkInput(context, definition, input);
  return startRun(context, { app, definition, input, retryOf: ended.id, details: { retryOf: ended.id } }, call);
}
