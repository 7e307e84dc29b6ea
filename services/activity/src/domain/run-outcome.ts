import { backoffMs, type Problem } from "@appserver/kernel";
import type { RunAttempt, RunRecord, TerminalStatus } from "./run.ts";

/** How an attempt, or the wait for one, ended. */
export type Outcome =
  /** `output` is JSON text. */
  | { readonly kind: "completed"; readonly output: string | undefined }
  /** `final`: the worker reports that another attempt would fail too. */
  | { readonly kind: "failed"; readonly error: Problem; readonly final?: boolean }
  /** The worker stopped, or the run had not started. */
  | { readonly kind: "canceled" }
  /** The worker did not report before its lease expired, or never reported; with a message, why it cannot. */
  | { readonly kind: "crashed"; readonly message?: string }
  /** The worker is connected and exceeded the timeout of the run. */
  | { readonly kind: "timed_out" }
  /** No worker took the run. */
  | { readonly kind: "expired" };

/** The next state of the run: its end, or another attempt. */
export type NextState =
  | {
      readonly status: TerminalStatus;
      readonly finishedAt: Date;
      readonly error: Problem | undefined;
      readonly output: string | undefined;
    }
  | { readonly status: "QUEUED"; readonly scheduledFor: Date; readonly error: Problem };

/** Returns the attempt that an outcome ends; undefined for a run that no worker has. */
export function endedAttempt(run: RunRecord, outcome: Outcome, next: NextState, now: Date): RunAttempt | undefined {
  if (run.status !== "RUNNING" || !run.startedAt || outcome.kind === "expired") return undefined;
  const { attempt: number, startedAt } = run;
  return { number, startedAt, finishedAt: now, outcome: attemptOutcomes[outcome.kind], error: next.error };
}

const attemptOutcomes = {
  completed: "COMPLETED",
  failed: "FAILED",
  canceled: "CANCELED",
  crashed: "CRASHED",
  timed_out: "TIMED_OUT",
} as const;

const retries = { firstMs: 2_000, maxMs: 5 * 60 * 1000 };

/** Returns the pause after `attempt`. It doubles each time, plus up to a quarter at random, so that runs are not retried together. */
export function retryDelayMs(attempt: number, jitter: number): number {
  return Math.round(backoffMs(attempt, retries) * (1 + jitter / 4));
}

/**
 * Returns the run's next state. Failures and crashes are retried while retries are left. A timeout is final, because the next
 * attempt would take as long. A run that a user canceled is never retried, but a result that still arrives counts.
 *
 * `jitter` is 0 to 1.
 */
export function nextState(run: RunRecord, outcome: Outcome, now: Date, jitter: number): NextState {
  const ended = (status: TerminalStatus, error?: Problem, output?: string): NextState => {
    return { status, finishedAt: now, error, output };
  };
  switch (outcome.kind) {
    case "completed":
      return ended("COMPLETED", undefined, outcome.output);
    case "timed_out":
      return ended("TIMED_OUT", { code: "TIMED_OUT", message: `did not end within ${run.timeoutMs} ms` });
    case "expired":
      return ended("EXPIRED", { code: "EXPIRED", message: "no worker started the run in time" });
    case "canceled":
      if (run.cancelRequested || run.status === "QUEUED") return ended("CANCELED");
      return retried(run, { code: "ABANDONED", message: "the worker gave it up" }, "FAILED", now, jitter);
    case "crashed":
      if (run.cancelRequested) return ended("CANCELED");
      return retried(
        run,
        { code: "CRASHED", message: outcome.message ?? "the worker stopped reporting" },
        "CRASHED",
        now,
        jitter,
      );
    case "failed":
      if (run.cancelRequested) return ended("CANCELED", outcome.error);
      if (outcome.final) return ended("FAILED", outcome.error);
      return retried(run, outcome.error, "FAILED", now, jitter);
  }
}

function retried(run: RunRecord, error: Problem, last: TerminalStatus, now: Date, jitter: number): NextState {
  if (run.attempt > run.maxRetries) return { status: last, finishedAt: now, error, output: undefined };
  const scheduledFor = new Date(now.getTime() + retryDelayMs(run.attempt, jitter));
  return { status: "QUEUED", scheduledFor, error };
}
