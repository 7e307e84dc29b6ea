import {
  type ActivityRun,
  ActivityRunSchema,
  RunAttemptSchema,
  RunStatus,
  type WorkResult,
} from "@appserver/contracts/proto/appserver/v2/activity";
import { type Problem as ProblemMessage, ProblemSchema } from "@appserver/contracts/proto/appserver/v2/common";
import type { ActivityDefinition as DefinitionMessage } from "@appserver/contracts/proto/appserver/v2/manifest";
import { messageOf, type Problem } from "@appserver/kernel";
import { create, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { type ActivityDefinition, definitionDefaults } from "../domain/activity-definition.ts";
import { completedWith, failedWith, invalidOutput } from "../domain/reported-outcome.ts";
import { type RunAttempt, type RunRecord, shownStatus } from "../domain/run.ts";
import type { Outcome } from "../domain/run-outcome.ts";

/** Converts a definition to its domain form, with the defaults filled in. */
export function readDefinition(message: DefinitionMessage): ActivityDefinition {
  const { inputSchema, singletonKey, schedule } = message;
  return {
    name: message.name,
    inputSchema: inputSchema === "" ? undefined : inputSchema,
    timeoutMs: message.timeoutMs ?? definitionDefaults.timeoutMs,
    maxRetries: message.maxRetries ?? definitionDefaults.maxRetries,
    concurrency: message.concurrency,
    singletonKey: singletonKey === "" ? undefined : singletonKey,
    schedule: schedule && {
      cron: schedule.cron,
      intervalSeconds: schedule.intervalSeconds,
      timezone: schedule.timezone ?? definitionDefaults.timezone,
      input: readJson(schedule.input),
    },
    path: message.path === "" ? undefined : message.path,
  };
}

function readJson(text: string | undefined): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `values` are JSON texts; they and the attempts are absent if they were not requested. */
export function runMessage(
  run: RunRecord,
  values: {
    readonly input?: string | undefined;
    readonly output?: string | undefined;
    readonly attempts?: readonly RunAttempt[];
  } = {},
): ActivityRun {
  return create(ActivityRunSchema, {
    id: run.id,
    appName: run.appName,
    activity: run.activity,
    status: RunStatus[shownStatus(run)],
    attempt: run.attempt,
    ...(run.progress === undefined ? {} : { progress: run.progress }),
    ...(run.stage === undefined ? {} : { stage: run.stage }),
    ...(values.input === undefined ? {} : { input: messageOfJson(values.input) }),
    ...(values.output === undefined ? {} : { output: messageOfJson(values.output) }),
    ...(run.error ? { error: problemMessage(run.error) } : {}),
    scheduledFor: timestampFromDate(run.scheduledFor),
    queuedAt: timestampFromDate(run.queuedAt),
    ...timestamp("startedAt", run.startedAt),
    ...timestamp("finishedAt", run.finishedAt),
    ...(run.retryOf === undefined ? {} : { retryOf: run.retryOf }),
    traceparent: run.traceparent ?? "",
    attempts: (values.attempts ?? []).map(({ number, startedAt, finishedAt, outcome, error }) =>
      create(RunAttemptSchema, {
        number,
        startedAt: timestampFromDate(startedAt),
        finishedAt: timestampFromDate(finishedAt),
        outcome: RunStatus[outcome],
        ...(error ? { error: problemMessage(error) } : {}),
      }),
    ),
  });
}

function timestamp<K extends string>(name: K, date: Date | undefined): { [key in K]?: Timestamp } {
  return (date ? { [name]: timestampFromDate(date) } : {}) as { [key in K]?: Timestamp };
}

function problemMessage(problem: Problem): ProblemMessage {
  return create(ProblemSchema, {
    code: problem.code,
    message: problem.message,
    ...(problem.details ? { details: JSON.parse(JSON.stringify(problem.details)) } : {}),
  });
}

/** Returns a JSON value; undefined if absent. A value without a kind is null, as in other implementations. */
export function jsonOf(value: Value | undefined): JsonValue | undefined {
  if (value === undefined) return undefined;
  return value.kind.case === undefined ? null : toJson(ValueSchema, value);
}

function messageOfJson(text: string): Value {
  return fromJson(ValueSchema, JSON.parse(text) as JsonValue);
}

/** Converts a worker's result to the outcome of its attempt. */
export function outcomeOf({ outcome }: WorkResult): Outcome {
  switch (outcome.case) {
    case "error":
      return failedWith(outcome.value);
    case "canceled":
      return { kind: "canceled" };
    case "output":
      return completion(outcome.value);
    case undefined:
      return { kind: "completed", output: undefined };
  }
}

function completion(value: Value): Outcome {
  try {
    return completedWith(JSON.stringify(jsonOf(value)));
  } catch (error) {
    // For example, numbers that JSON does not have.
    return invalidOutput(messageOf(error));
  }
}
