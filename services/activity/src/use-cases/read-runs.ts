import { quote } from "@appserver/contracts/patterns";
import {
  AppError,
  type Call,
  Cursors,
  earlierReceipt,
  isUuid,
  type Page,
  pageSize,
  requirePermission,
} from "@appserver/kernel";
import type { RunAttempt, RunRecord, ShownStatus } from "../domain/run.ts";
import { isTerminal } from "../domain/run.ts";
import type { RunReads } from "../ports.ts";
import { type ActivityContext, activityEntry, requireAccess, requireFound } from "./context.ts";

/** Returns the run. An app sees only its own runs: others are NOT_FOUND, like unknown ones. */
export function getRun(context: ActivityContext, runId: string, call: Call): Promise<RunRecord> {
  return requireRun(context, runId, "activity:view", call);
}

/** Returns the run as {@link getRun} does, for callers with this permission. */
export async function requireRun(context: ActivityContext, runId: string, permission: string, call: Call): Promise<RunRecord> {
  const run = isUuid(runId) ? await context.runReads.find(runId) : undefined;
  const unknown = new AppError("NOT_FOUND", `there is no run ${quote(runId)}`, { details: { run: runId } });
  return requireFound(context, call, { found: run, permission, unknown });
}

/**
 * Requests a run to stop. A waiting run is CANCELED at once, a running one when its worker has stopped. A finished run is
 * unchanged.
 */
export async function cancelRun(context: ActivityContext, runId: string, call: Call): Promise<RunRecord> {
  const run = await requireRun(context, runId, "activity:cancel", call);
  if (earlierReceipt()) return run;
  return (await context.runs.cancel(run.id, activityEntry(call, "cancel", run, { runId: run.id }))) ?? run;
}

export interface RunFilter {
  readonly appName: string | undefined;
  readonly status: ShownStatus | undefined;
}

export interface ListRequest extends RunFilter {
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  /** Opaque cursor of the last run seen. */
  readonly after?: string | undefined;
}

const cursors = new Cursors("run", isUuid);

/** Returns one page, newest first. Apps see only their own runs. */
export async function listRuns(context: ActivityContext, request: ListRequest, call: Call): Promise<Page<RunRecord>> {
  const limit = pageSize(request.first);
  const appName = await visibleApp(context, request.appName, call);
  return context.runReads.list({ appName, status: request.status, after: cursors.read(request.after), limit });
}

/** Counts the runs that {@link listRuns} returns over all pages. */
export async function countRuns(context: ActivityContext, { appName, status }: RunFilter, call: Call): Promise<number> {
  return context.runReads.count({ appName: await visibleApp(context, appName, call), status });
}

/** Returns the first runs of these traces, oldest first. Needs `activity:view`. */
export async function readTracedRuns(
  { runReads, permissions }: Pick<ActivityContext, "runReads" | "permissions">,
  traceIds: readonly string[],
  limit: number,
  call: Call,
): Promise<readonly RunRecord[]> {
  await requirePermission(permissions, call, "activity:view");
  return runReads.ofTraces(traceIds, limit);
}

/** Returns the JSON texts of the input and the output of a run that the caller may see. They may be large. */
export function readValues({ runReads }: ActivityContext, run: RunRecord): ReturnType<RunReads["values"]> {
  return runReads.values(run.id);
}

/** Returns the attempts of a run that the caller may see. Each may have a large error. */
export function readAttempts({ runReads }: ActivityContext, run: RunRecord): Promise<readonly RunAttempt[]> {
  return runReads.attempts(run.id);
}

/** Returns the app that the caller selects and may see; undefined for all apps. */
export async function visibleApp(context: ActivityContext, named: string | undefined, call: Call): Promise<string | undefined> {
  const selected = named === "" ? undefined : named;
  const appName = selected ?? (call.caller.kind === "app" ? call.caller.name : undefined);
  await requireAccess(context, call, appName, "activity:view");
  return appName;
}

/** Returns the cursor of a run, opaque to clients. */
export function cursorOf(run: Pick<RunRecord, "id">): string {
  return cursors.of(run.id);
}

/** Yields the run now and after every change, until its end. Changes in quick succession are merged into one. */
export async function* watchRun(context: ActivityContext, runId: string, call: Call): AsyncGenerator<RunRecord> {
  let shown = await getRun(context, runId, call);
  const stop = new AbortController();
  const changes = context.runChanges.changes(shown.id, AbortSignal.any([call.signal, stop.signal]))[Symbol.asyncIterator]();
  // Subscribed before the run is read again; otherwise a change in between would be missed.
  let next = changes.next();
  try {
    shown = (await context.runReads.find(shown.id)) ?? shown;
    yield shown;
    while (!isTerminal(shown.status) && !(await next).done) {
      next = changes.next();
      const current = await context.runReads.find(shown.id);
      if (!current) return;
      shown = current;
      yield shown;
    }
  } finally {
    stop.abort();
    await next.catch(() => {});
  }
}
