import { quote } from "@appserver/contracts/patterns";
import { AppError, auditedUser, type Caller, Cursors, isUuid, type Page, pageSize } from "@appserver/kernel";
import type { RunRecord, ShownStatus } from "../domain/run.ts";
import { isTerminal } from "../domain/run.ts";
import { type ActivityContext, requireAccess } from "./context.ts";

/** The run. An app sees its own alone: others are NOT_FOUND to it, as unknown ones are. */
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

/** Asks a run to stop: a waiting one is CANCELED at once, a running one when its worker has stopped. A finished one stays as it is. */
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

/** One page, newest first. Apps see their own. */
export async function listRuns(context: ActivityContext, request: ListRequest): Promise<Page<RunRecord>> {
  const limit = pageSize(request.first);
  const appName = await visibleApp(context, request);
  return context.runs.list({ appName, status: request.status, after: cursors.read(request.after), limit });
}

/** The app whose activities a caller means and may see; undefined for those of all. */
export async function visibleApp(
  context: ActivityContext,
  request: { readonly appName: string | undefined; readonly caller: Caller },
): Promise<string | undefined> {
  const named = request.appName === "" ? undefined : request.appName;
  const appName = named ?? (request.caller.kind === "app" ? request.caller.name : undefined);
  await requireAccess(context, request.caller, appName, "activity:view");
  return appName;
}

/** Opaque to clients. */
export function cursorOf(run: Pick<RunRecord, "id">): string {
  return cursors.of(run.id);
}

/** The run as it is, then as it is after every change, until its end. Changes in quick succession are told as one. */
export async function* watchRun(
  context: ActivityContext,
  runId: string,
  caller: Caller,
  signal: AbortSignal,
): AsyncGenerator<RunRecord> {
  let shown = await getRun(context, runId, caller);
  const stop = new AbortController();
  const changes = context.news.changes(shown.id, AbortSignal.any([signal, stop.signal]))[Symbol.asyncIterator]();
  // Begun before the run is read again, or a change in between would be missed.
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
