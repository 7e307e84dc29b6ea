import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface LoadTarget {
  /** For the report. */
  readonly name: string;
  readonly url: string;
  readonly ratePerSecond: number;
  /** Of the expected body, in hex. Without it any body is right. */
  readonly sha256?: string;
}

export type LoadCommand = { readonly targets: readonly LoadTarget[] } | { readonly end: true };

export interface TargetReport {
  readonly name: string;
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
  readonly #targets: LoadTarget[] = [];

  constructor() {
    this.#child = fork(join(import.meta.dirname, "load-process.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  }

  add(targets: readonly LoadTarget[]): void {
    this.#targets.push(...targets);
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

  /**
   * Calls {@link end}. Throws if a request failed, or if less than half of the requests of a target were sent. Returns one line
   * for each target.
   */
  async endWithoutFailures(): Promise<readonly string[]> {
    const reports = await this.end();
    assert.deepEqual(
      reports.flatMap(({ failures }) => failures),
      [],
      `${reports.reduce((sum, { failed }) => sum + failed, 0)} requests failed`,
    );
    for (const [index, { name, sent, seconds }] of reports.entries()) {
      const expected = (this.#targets[index]?.ratePerSecond ?? 0) * seconds;
      assert.ok(sent >= expected / 2, `${name}: ${sent} requests in ${seconds} s, expected ${expected}`);
    }
    return reports.map(({ name, sent, seconds, medianMs, slowestMs }) => {
      const rate = Math.round(sent / seconds);
      return `${name}: ${sent} × 200 in ${Math.round(seconds)} s (${rate}/s), median ${medianMs.toFixed(1)} ms, slowest ${Math.round(slowestMs)} ms`;
    });
  }

  #command(command: LoadCommand): void {
    this.#child.send(command);
  }
}
