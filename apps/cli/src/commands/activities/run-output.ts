import type { RunFragment, RunStatus } from "../../generated/operations.ts";
import { renderTable } from "../../table.ts";

export const runStatuses: readonly RunStatus[] = [
  "DELAYED",
  "QUEUED",
  "RUNNING",
  "COMPLETED",
  "FAILED",
  "CANCELED",
  "TIMED_OUT",
  "CRASHED",
  "EXPIRED",
];

/** Formats runs, one per line. */
export function runTable(runs: readonly RunFragment[]): string {
  const rows = runs.map((run) => [
    run.id,
    `${run.appName}\n${run.activity}`,
    statusLine(run),
    run.attempt,
    run.queuedAt ?? "-",
  ]);
  return renderTable(["RUN", "APP AND ACTIVITY", "STATUS", "TRY", "QUEUED"], rows);
}

/** Formats the status of a run: `RUNNING 40 % counting 2026-01-01`. */
export function statusLine({ status, progress, stage, error }: RunFragment): string {
  const isShown = status === "RUNNING" && progress != null;
  const shown = isShown ? ` ${Math.round(progress * 100)} %${stage ? ` ${stage}` : ""}` : "";
  return `${status}${shown}${error ? ` (${error.code}: ${error.message})` : ""}`;
}

export function isFinished({ status }: Pick<RunFragment, "status">): boolean {
  return status !== "QUEUED" && status !== "DELAYED" && status !== "RUNNING";
}
