import { quote } from "@appserver/contracts/patterns";
import { AppError, auditedUser, type Caller, Cursors, isUuid, type Page, pageSize } from "@appserver/kernel";
import type { RunRecord, ShownStatus } from "../domain/run.ts";
import { isTerminal } from "../domain/run.ts";
import { type ActivityContext, requireAccess } from "./context.ts";

/** Returns the run. An app sees only its own runs: others are NOT_FOUND, like unknown ones. */
export async function getRun(
  context: ActivityContext,
  runId: string,
  caller: Caller,
  permission = "activity:view",
): Promise<RunRecord> {
  const run = isUuid(runId) ? await context.runs.find(runId) : undefined;
  if (caller.kind !== "app" || run?.appName !== caller.name) {
    try {
      await requireAccess(context, caller, run?.appName, permission);
    } catch (error) {
      if (caller.kind === "app") throw unknown(runId);
      throw error;
    }
  }
  if (!run) throw unknown(runId);
  return run;
}

function unknown(runId: string): AppError {
  return new AppError("NOT_FOUND", `there is no run ${quote(runId)}`, { details: { run: runId } });
}

/**
 * Requests a run to stop. A waiting run is CANCELED at once, a running one when its worker has stopped. A finished run is
 * unchanged.
 */
export async function cancelRun(context: ActivityContext, runId: string, caller: Caller): Promise<RunRecord> {
  const run = await getRun(context, runId, caller, "activity:cancel");
  return (await context.runs.cancel(run.id, auditedUser(caller))) ?? run;
}

export interface ListRequest {
  readonly appName: string | undefined;
  readonly status: ShownStatus | undefined;
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  /** Opaque cursor of the last run seen. */
  readonly after?: string | undefined;
  readonly caller: Caller;
}

const cursors = new Cursors("run", isUuid);

/** Returns one page, newest first. Apps see only their own runs. */
export async function listRuns(context: ActivityContext, request: ListRequest): Promise<Page<RunRecord>> {
  const limit = pageSize(request.first);
  const appName = await visibleApp(context, request);
  return context.runs.list({ appName, status: request.status, after: cursors.read(request.after), limit });
}

/** Returns the app that the caller selects and may see; undefined for all apps. */
export async function visibleApp(
  context: ActivityContext,
  request: { readonly appName: string | undefined; readonly caller: Caller },
): Promise<string | undefined> {
  const named = request.appName === "" ? undefined : request.appName;
  const appName = named ?? (request.caller.kind === "app" ? request.caller.name : undefined);
  await requireAccess(context, request.caller, appName, "activity:view");
  return appName;
}

/** Returns the cursor of a run, opaque to clients. */
export function cursorOf(run: Pick<RunRecord, "id">): string {
  return cursors.of(run.id);
}

/** Yields the run now and after every change, until its end. Changes in quick succession are merged into one. */
export async function* watchRun(
  context: ActivityContext,
  runId: string,
  caller: Caller,
  signal: AbortSignal,
): AsyncGenerator<RunRecord> {
  let shown = await getRun(context, runId, caller);
  const stop = new AbortController();
  const changes = context.news.changes(shown.id, AbortSignal.any([signal, stop.signal]))[Symbol.asyncIterator]();
  // Subscribed before the run is read again; otherwise a change in between would be missed.
  let next = changes.next();
  try {
    shown = (await context.runs.find(shown.id)) ?? shown;
    yield shown;
    while (!isTerminal(shown.status) && !(await next).done) {
      next = changes.next();
      const current = await context.runs.find(shown.id);
      if (!current) return;
      shown = current;
      yield shown;
    }
  } finally {
    stop.abort();
    await next.catch(() => {});
  }
}
