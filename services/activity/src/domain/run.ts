import type { Problem } from "@appserver/kernel";
/** The stored status of a run. A waiting run is shown as DELAYED before its time and as QUEUED after it. */
export type RunStatus = "QUEUED" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELED" | "TIMED_OUT" | "CRASHED" | "EXPIRED";
/** The status that callers see (docs/interface/activities.md#statuses). */
export type ShownStatus = RunStatus | "DELAYED";

export type TerminalStatus = Exclude<RunStatus, "QUEUED" | "RUNNING">;

/** An attempt that has ended. */
export interface RunAttempt {
  readonly number: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly outcome: Exclude<TerminalStatus, "EXPIRED">;
  readonly error: Problem | undefined;
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
  /**
   * Number of the last assignment; 0 before the first. It fences results: a worker that reports another attempt has lost the
   * run.
   */
  readonly attempt: number;
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly singletonKey: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** `user:alice`, `app:com.example.notes`, `schedule:<id>`. */
  readonly triggeredBy: string;
  /** Id of the run that this one repeats, which may be deleted. */
  readonly retryOf: string | undefined;
  /** Of the trigger (W3C Trace Context). */
  readonly traceparent: string | undefined;
  /** 0 to 1. */
  readonly progress: number | undefined;
  readonly stage: string | undefined;
  /** Error of the last failed attempt. */
  readonly error: Problem | undefined;
  readonly cancelRequested: boolean;
  /** Whether it waits for its time, by the clock of the database. */
  readonly isDelayed: boolean;
  /** No worker takes it before this time. */
  readonly scheduledFor: Date;
  readonly queuedAt: Date;
  /** Start of the last attempt. */
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

export function isTerminal(status: ShownStatus): status is TerminalStatus {
  return status !== "QUEUED" && status !== "RUNNING" && status !== "DELAYED";
}

export function shownStatus(run: Pick<RunRecord, "status" | "isDelayed">): ShownStatus {
  return run.status === "QUEUED" && run.isDelayed ? "DELAYED" : run.status;
}

/** Returns the name of the queue of an activity's runs. */
export function queueOf(run: Pick<RunRecord, "appName" | "activity">): string {
  return `${run.appName}/${run.activity}`;
}

/** Returns the activity whose runs are in the queue. */
export function fromQueue(queue: string): Pick<RunRecord, "appName" | "activity"> {
  const slash = queue.lastIndexOf("/");
  return { appName: queue.slice(0, slash), activity: queue.slice(slash + 1) };
}
