import type { ActivityRun as RunMessage, WorkRequest } from "@appserver/contracts/proto/appserver/v2/activity";
import { toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { runInTrace } from "../current-trace.ts";
import type { ActivityHandler, ActivityRun } from "./activity.ts";
import { type Attempt, canceled, completed, failed, workRequest } from "./work-messages.ts";

const progressEveryMs = 100;

/** An attempt assigned to this worker, held until the platform has received its result. */
export class HeldRun implements Attempt {
  readonly runId: string;
  readonly attempt: number;
  readonly #stop = new AbortController();
  readonly #send: (message: WorkRequest) => void;
  #report: { readonly progress: number; readonly stage: string } | undefined;
  #reporting: ReturnType<typeof setTimeout> | undefined;
  /** Set when the handler has ended. Kept until the platform responds to it. */
  result: WorkRequest | undefined;

  constructor(run: RunMessage, send: (message: WorkRequest) => void) {
    this.runId = run.id;
    this.attempt = run.attempt;
    this.#send = send;
  }

  /** Runs the handler and sends the result. Never rejects. */
  async work(run: RunMessage, handler: ActivityHandler): Promise<void> {
    this.result = await this.#outcome(run, handler);
    clearTimeout(this.#reporting);
    this.#report = undefined;
    this.#send(this.result);
  }

  cancel(): void {
    this.#stop.abort(new Error("the run is to stop"));
  }

  heartbeat(): WorkRequest {
    return workRequest({ case: "heartbeat", value: { runId: this.runId, attempt: this.attempt } });
  }

  async #outcome(run: RunMessage, handler: ActivityHandler): Promise<WorkRequest> {
    const view: ActivityRun = {
      runId: this.runId,
      attempt: this.attempt,
      input: run.input === undefined ? undefined : toJson(ValueSchema, run.input),
      traceparent: run.traceparent === "" ? undefined : run.traceparent,
      signal: this.#stop.signal,
      progress: (fraction, stage = "") => this.#progress({ progress: fraction, stage }),
    };
    try {
      const output = await runInTrace({ traceparent: view.traceparent }, () => handler(view));
      return completed(this, output);
    } catch (error) {
      return this.#stop.signal.aborted ? canceled(this) : failed(this, error);
    }
  }

  #progress(report: { readonly progress: number; readonly stage: string }): void {
    this.#report = report;
    this.#reporting ??= setTimeout(() => {
      this.#reporting = undefined;
      if (this.#report)
        this.#send(workRequest({ case: "progress", value: { runId: this.runId, attempt: this.attempt, ...this.#report } }));
    }, progressEveryMs);
  }
}
