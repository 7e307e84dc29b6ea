/** What is stored of a run's state. A waiting run shows as DELAYED before its time, and as QUEUED after it. */
export type RunStatus = "QUEUED" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELED" | "TIMED_OUT" | "CRASHED" | "EXPIRED";
/** The status that callers see (docs/interface/activities.md#statuses). */
export type ShownStatus = RunStatus | "DELAYED";

export type TerminalStatus = Exclude<RunStatus, "QUEUED" | "RUNNING">;

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** One run of an activity, without its input and output, which may be large. */
export interface RunRecord {
  /** UUIDv7. */
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  readonly appVersion: string;
  readonly activity: string;
  readonly status: RunStatus;
  /** Of the last assignment; 0 before the first. Fences results: whoever names another attempt has lost the run. */
  readonly attempt: number;
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly singletonKey: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** `user:alice`, `app:com.example.notes`, `schedule:<id>`. */
  readonly triggeredBy: string;
  /** 0 to 1. */
  readonly progress: number | undefined;
  readonly stage: string | undefined;
  /** Of the last attempt that failed. */
  readonly error: Problem | undefined;
  readonly cancelRequested: boolean;
  /** It waits for its time, by the clock of the database. */
  readonly isDelayed: boolean;
  /** Not taken by a worker before. */
  readonly scheduledFor: Date;
  readonly queuedAt: Date;
  /** Of the last attempt. */
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

export function isTerminal(status: ShownStatus): status is TerminalStatus {
  return status !== "QUEUED" && status !== "RUNNING" && status !== "DELAYED";
}

export function shownStatus(run: Pick<RunRecord, "status" | "isDelayed">): ShownStatus {
  return run.status === "QUEUED" && run.isDelayed ? "DELAYED" : run.status;
}

/** Name of the queue that an activity's runs wait in. */
export function queueOf(run: Pick<RunRecord, "appName" | "activity">): string {
  return `${run.appName}/${run.activity}`;
}
