import { quote } from "@appserver/contracts/patterns";
import { AppError, type Call, invalidField } from "@appserver/kernel";
import { limits } from "../domain/limits.ts";
import { completedWith, failedWith, isDetails } from "../domain/reported-outcome.ts";
import type { RunRecord } from "../domain/run.ts";
import type { Outcome } from "../domain/run-outcome.ts";
import type { Assignment } from "../ports.ts";
import { type ActivityContext, requireApp } from "./context.ts";
import { requireRun } from "./read-runs.ts";

export interface RunResult {
  readonly id: string;
  readonly attempt: number;
  /** A JSON value; undefined for none. */
  readonly output: unknown;
  /** The message of an error. */
  readonly error: string | undefined;
  /** Of the error. */
  readonly code?: string | undefined;
  /** Of the error: an object. */
  readonly details?: unknown;
  /** Whether the app stopped, because the run was canceled or because it gives up. */
  readonly canceled: boolean;
}

export interface RunProgress {
  readonly id: string;
  readonly attempt: number;
  readonly progress: number;
  readonly stage: string | undefined;
}

/**
 * Ends an attempt of a run of the calling app, and returns the run. Throws INVALID_STATE for an attempt that does not hold the run.
 * The same result may be sent again.
 */
export async function finishRun(context: ActivityContext, result: RunResult, call: Call): Promise<RunRecord> {
  const { run, assignment } = await requireOwn(context, result, call);
  const [accepted] = await context.runs.finish([{ ...assignment, outcome: outcomeOf(result) }]);
  if (!accepted) throw lost(run, result.attempt);
  return (await context.runReads.find(run.id)) ?? run;
}

/**
 * Stores the progress of an attempt of a run of the calling app, and returns the run. Throws INVALID_STATE for an attempt that does
 * not hold the run.
 */
export async function noteProgress(context: ActivityContext, report: RunProgress, call: Call): Promise<RunRecord> {
  const { run, assignment } = await requireOwn(context, report, call);
  const progress = Math.min(1, Math.max(0, report.progress || 0));
  const stage = report.stage === "" ? undefined : report.stage?.slice(0, limits.stageLength);
  const state = await context.runs.noteProgress({ ...assignment, progress, stage });
  if (state === "lost") throw lost(run, report.attempt);
  return (await context.runReads.find(run.id)) ?? run;
}

/** Returns a run of the calling app. For other apps it is NOT_FOUND, and for users who see it PERMISSION_DENIED. */
async function requireOwn(
  context: ActivityContext,
  { id, attempt }: Pick<RunResult, "id" | "attempt">,
  call: Call,
): Promise<{ readonly run: RunRecord; readonly assignment: Assignment }> {
  const run = await requireRun(context, id, "activity:view", call);
  const appName = requireApp(call, "report on its runs");
  if (run.appName !== appName) throw new AppError("NOT_FOUND", `${appName} has no run ${quote(id)}`, { details: { run: id } });
  return { run, assignment: { appName, runId: run.id, attempt } };
}

function outcomeOf({ output, error, code, details, canceled }: RunResult): Outcome {
  if ([output !== undefined, error !== undefined, canceled].filter(Boolean).length > 1)
    throw invalidField("output", "only one of output, error and canceled is accepted");
  if (details !== undefined && !isDetails(details)) throw invalidField("details", "must be an object");
  if (error !== undefined) return failedWith({ message: error, code, details });
  if (code !== undefined || details !== undefined) throw invalidField("error", "is required with a code or details");
  if (canceled) return { kind: "canceled" };
  return output === undefined ? { kind: "completed", output: undefined } : completedWith(JSON.stringify(output));
}

function lost({ id, attempt, status }: RunRecord, reported: number): AppError {
  const message = `attempt ${reported} does not hold the run: it is ${status}, in attempt ${attempt}`;
  return new AppError("INVALID_STATE", message, { details: { run: id, attempt, status } });
}
