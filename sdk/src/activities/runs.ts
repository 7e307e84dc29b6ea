import type { ActivityRun } from "@appserver/contracts/proto/appserver/v2/activity";
import { RunStatus } from "@appserver/contracts/proto/appserver/v2/activity";
import { toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { PlatformClient } from "../platform-client.ts";
import { toValue } from "../to-value.ts";

/** Where a run of an activity is. Can be sent to a page as JSON, where `followRun` of `@appserver/sdk/page` reads it. */
export interface RunReport {
  readonly id: string;
  /** `ended` is every end without a result: after the last attempt, a cancel, or a wait that was too long. */
  readonly state: "completed" | "ended" | "running" | "waiting";
  /** From 0 to 1, as the handler has reported it. Undefined before its first report. */
  readonly progress: number | undefined;
  readonly stage: string | undefined;
  /** The result of a completed run. */
  readonly output: unknown;
  /** Why the last attempt that ended had no result. */
  readonly error: string | undefined;
}

export interface StartOptions {
  /** A second start with the same key returns the same run. Default: each start is a run. */
  readonly idempotencyKey?: string | undefined;
  /** Default now. */
  readonly runAt?: Date | undefined;
}

/** The runs of the app's own activities. */
export interface Runs {
  /** Starts a run and returns its id. Rejects with NOT_FOUND for an activity that no worker has registered, and with INVALID_ARGUMENT for a wrong input. */
  start(activity: string, input?: unknown, options?: StartOptions): Promise<string>;
  /** Returns where a run is. Undefined if the app has no such run, or none any more. */
  get(id: string): Promise<RunReport | undefined>;
}

/** Returns the runs of the app as which the client calls. */
export function createRuns({ activities }: Pick<PlatformClient, "activities">): Runs {
  return {
    start: async (activity, input, { idempotencyKey, runAt } = {}) => {
      const { run } = await activities.triggerActivity({
        activity,
        input: toValue(input),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(runAt === undefined ? {} : { runAt: { seconds: BigInt(Math.floor(runAt.getTime() / 1_000)), nanos: 0 } }),
      });
      return (run as ActivityRun).id;
    },
    get: async (id) => {
      try {
        return reportOf((await activities.getRun({ id })).run as ActivityRun);
      } catch (error) {
        if (ConnectError.from(error).code === Code.NotFound) return undefined;
        throw error;
      }
    },
  };
}

const waiting: ReadonlySet<RunStatus> = new Set([RunStatus.DELAYED, RunStatus.QUEUED]);

function reportOf({ id, status, progress, stage, output, error }: ActivityRun): RunReport {
  const isCompleted = status === RunStatus.COMPLETED;
  const open = waiting.has(status) ? "waiting" : "ended";
  return {
    id,
    state: isCompleted ? "completed" : status === RunStatus.RUNNING ? "running" : open,
    progress,
    stage: stage === "" ? undefined : stage,
    output: isCompleted && output !== undefined ? toJson(ValueSchema, output) : undefined,
    error: error?.message,
  };
}
