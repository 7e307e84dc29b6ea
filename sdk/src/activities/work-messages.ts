import { type WorkRequest, WorkRequestSchema } from "@appserver/contracts/proto/appserver/v2/activity";
import { type ActivityDefinition, ActivityDefinitionSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { create, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import { toValue } from "../to-value.ts";
import { ActivityError, type ActivityOptions } from "./activity.ts";

type Message = MessageInitShape<typeof WorkRequestSchema>["message"];

export function workRequest(message: NonNullable<Message>): WorkRequest {
  return create(WorkRequestSchema, { message });
}

/** Identifies a run and its attempt. The platform uses both to determine which worker holds the run. */
export interface Attempt {
  readonly runId: string;
  readonly attempt: number;
}

export function completed({ runId, attempt }: Attempt, output: unknown): WorkRequest {
  const outcome = { case: "output", value: toValue(output) } as const;
  return workRequest({ case: "result", value: { runId, attempt, outcome } });
}

export function canceled({ runId, attempt }: Attempt): WorkRequest {
  return workRequest({ case: "result", value: { runId, attempt, outcome: { case: "canceled", value: true } } });
}

export function failed({ runId, attempt }: Attempt, error: unknown): WorkRequest {
  const code = error instanceof ActivityError ? error.code : "FAILED";
  const message = error instanceof Error ? error.message : String(error);
  const details: JsonObject | undefined = error instanceof ActivityError && !error.retry ? { retry: false } : undefined;
  const value = { code, message, ...(details ? { details } : {}) };
  return workRequest({ case: "result", value: { runId, attempt, outcome: { case: "error", value } } });
}

export function definitionOf(name: string, options: ActivityOptions): ActivityDefinition {
  const { inputSchema, timeoutMs, maxRetries, concurrency, singletonKey, schedule } = options;
  return create(ActivityDefinitionSchema, {
    name,
    ...(inputSchema === undefined ? {} : { inputSchema: JSON.stringify(inputSchema) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(singletonKey === undefined ? {} : { singletonKey }),
    ...(schedule === undefined
      ? {}
      : {
          schedule: {
            ...(schedule.cron === undefined ? {} : { cron: schedule.cron }),
            ...(schedule.everySeconds === undefined ? {} : { intervalSeconds: schedule.everySeconds }),
            ...(schedule.timezone === undefined ? {} : { timezone: schedule.timezone }),
            ...(schedule.input === undefined ? {} : { input: JSON.stringify(schedule.input) }),
          },
        }),
  });
}
