import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface LoadTarget {
  /** For the report. */
  readonly name: string;
  readonly url: string;
  readonly ratePerSecond: number;
  /** Default GET. The proxy never repeats a POST. */
  readonly method?: "GET" | "POST";
  /** Of the expected body, in hex. Without it any body is right. */
  readonly sha256?: string;
}

export type LoadCommand = { readonly targets: readonly LoadTarget[] } | { readonly end: true };

export interface TargetReport {
  readonly target: LoadTarget;
  readonly sent: number;
  /** Responses that were not 200 or had the wrong content, and connections that failed. */
  readonly failed: number;
  /** The first failures. */
  readonly failures: readonly string[];
  readonly seconds: number;
  readonly medianMs: number;
  readonly slowestMs: number;
}

/** Sends requests at fixed rates in another process until {@link end}, and counts every response that is not the expected one. */
export class FixedRateLoad {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(join(import.meta.dirname, "load-process.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  }

  add(targets: readonly LoadTarget[]): void {
    this.#command({ targets });
  }

  /** Waits for the last responses and returns one report for each target. */
  async end(): Promise<readonly TargetReport[]> {
    const exit = once(this.#child, "exit").then(() => {
      throw new Error("the load generator ended without a report");
    });
    exit.catch(() => {});
    const report = once(this.#child, "message") as Promise<[readonly TargetReport[]]>;
    this.#command({ end: true });
    return (await Promise.race([report, exit]))[0];
  }

  /** Ends the process without a report. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #command(command: LoadCommand): void {
    this.#child.send(command);
  }
}

/** Returns one line for people. */
export function describeReport({ target, sent, failed, seconds, medianMs, slowestMs }: TargetReport): string {
  const rate = `${Math.round(sent / seconds)}/s of ${target.ratePerSecond}/s`;
  const times = `median ${medianMs.toFixed(1)} ms, slowest ${Math.round(slowestMs)} ms`;
  return `${target.name}: ${sent} requests in ${Math.round(seconds)} s (${rate}), ${failed} failed, ${times}`;
}

/** Throws if a request failed, or if less than half of the requests of a target were sent. */
export function checkReports(reports: readonly TargetReport[]): void {
  const failed = reports.reduce((sum, report) => sum + report.failed, 0);
  const failures = reports.flatMap((report) => report.failures);
  assert.deepEqual(failures, [], `${failed} requests failed`);
  for (const report of reports) {
    const expected = report.target.ratePerSecond * report.seconds;
    assert.ok(report.sent >= expected / 2, `this machine is too busy: ${describeReport(report)}`);
  }
}
