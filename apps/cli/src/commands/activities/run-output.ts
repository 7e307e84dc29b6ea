import { type ActivityRun, ActivityRunSchema, RunStatus } from "@appserver/contracts/proto/appserver/v2/activity";
import { toJson } from "@bufbuild/protobuf";
import { timestampDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import { renderTable } from "../../table.ts";
import { UsageError } from "../../usage-error.ts";

/** Formats runs, one per line. */
export function runTable(runs: readonly ActivityRun[]): string {
  const rows = runs.map((run) => {
    const queued = run.queuedAt ? timestampDate(run.queuedAt).toISOString() : "-";
    return [run.id, `${run.appName}\n${run.activity}`, statusLine(run), run.attempt, queued];
  });
  return renderTable(["RUN", "APP AND ACTIVITY", "STATUS", "TRY", "QUEUED"], rows);
}

/** Formats the status of a run: `RUNNING 40 % counting 2026-01-01`. */
export function statusLine(run: ActivityRun): string {
  const isShown = run.status === RunStatus.RUNNING && run.progress !== undefined;
  const progress = isShown ? ` ${Math.round((run.progress ?? 0) * 100)} %${run.stage ? ` ${run.stage}` : ""}` : "";
  const error = run.error ? ` (${run.error.code}: ${run.error.message})` : "";
  return `${RunStatus[run.status]}${progress}${error}`;
}

/** Returns the output of a run as JSON, or undefined if it has none. */
export function outputOf(run: ActivityRun): unknown {
  return run.output === undefined ? undefined : toJson(ValueSchema, run.output);
}

export function runJson(run: ActivityRun): unknown {
  return toJson(ActivityRunSchema, run);
}

export function isFinished(run: ActivityRun): boolean {
  return run.status !== RunStatus.QUEUED && run.status !== RunStatus.DELAYED && run.status !== RunStatus.RUNNING;
}

export function parseStatus(text: string): RunStatus {
  const status = (RunStatus as unknown as Readonly<Record<string, RunStatus | string>>)[text.toUpperCase()];
  if (typeof status === "number" && status !== RunStatus.UNSPECIFIED) return status;
  const known = Object.keys(RunStatus).filter((key) => Number.isNaN(Number(key)) && key !== "UNSPECIFIED");
  throw new UsageError(`--status must be one of ${known.join(", ")}, got ${JSON.stringify(text)}`);
}
