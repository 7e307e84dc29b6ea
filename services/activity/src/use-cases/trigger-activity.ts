import {
  AppError,
  actorOf,
  type Call,
  currentKeyedWork,
  earlierReceipt,
  invalidField,
  keyedWorkLost,
  uuidv7,
} from "@appserver/kernel";
import type { ActivityDefinition } from "../domain/activity-definition.ts";
import { limits } from "../domain/limits.ts";
import type { RunRecord } from "../domain/run.ts";
import type { ActivityApp, NewRun } from "../ports.ts";
import { type ActivityContext, activityEntry, appOf, requireAccess } from "./context.ts";

export interface TriggerRequest {
  readonly appName: string | undefined;
  readonly activity: string;
  /** A JSON value; undefined for none. */
  readonly input: unknown;
  /** A repeated key returns the first run, for as long as that run is kept. */
  readonly idempotencyKey?: string | undefined;
  /** Earliest start. */
  readonly runAt?: Date | undefined;
}

/**
 * Queues one run of an activity (docs/interface/activities.md#trigger). When it returns, the run is stored. Throws
 * RATE_LIMIT_EXCEEDED while too many runs of the app wait.
 */
export async function triggerActivity(context: ActivityContext, request: TriggerRequest, call: Call): Promise<RunRecord> {
  const appName = appOf(call, request.appName);
  await requireAccess(context, call, appName, "activity:trigger");
  const earlier = await earlierRun(context);
  if (earlier) return earlier;
  const { app, definition } = await context.catalogue.activity(appName, request.activity);
  const { idempotencyKey: key } = request;
  if (key !== undefined && (key === "" || key.length > limits.keyLength))
    throw invalidField("idempotency_key", `must be 1 to ${limits.keyLength} characters`);
  if (request.runAt && !(request.runAt.getTime() < context.clock.now() + limits.aheadMs))
    throw invalidField("run_at", "must be within a year");
  const input = await checkedInput(context, definition, request.input);
  return startRun(context, { app, definition, input, key, runAt: request.runAt }, call);
}

export interface StartRequest {
  readonly app: ActivityApp;
  readonly definition: ActivityDefinition;
  /** JSON text. */
  readonly input: string | undefined;
  readonly key?: string | undefined;
  readonly runAt?: Date | undefined;
  readonly retryOf?: string | undefined;
  /** Added to the audit entry. */
  readonly details?: Readonly<Record<string, string>>;
}

/** Queues one run for the caller, who has the permission. Throws RATE_LIMIT_EXCEEDED while too many runs of the app wait. */
export async function startRun(context: ActivityContext, request: StartRequest, call: Call): Promise<RunRecord> {
  const { app, definition, input, key, runAt, retryOf, details } = request;
  await context.quota.checkQuota(app.name);
  const run = newRun(context, app, definition, {
    key,
    by: actorOf(call.caller),
    retryOf,
    traceparent: call.traceparent,
  });
  const audit = activityEntry(call, "trigger", run, { runId: run.id, ...details });
  const stored = await context.enqueue.run({ run, runAt, input, audit, work: currentKeyedWork() });
  if (!stored) throw keyedWorkLost();
  context.quota.added(app.name);
  return stored;
}

/** Returns the run that an earlier request with the same key has started. */
export async function earlierRun({ runReads }: ActivityContext): Promise<RunRecord | undefined> {
  const id = earlierReceipt()?.["runId"];
  if (id === undefined) return undefined;
  const run = await runReads.find(String(id));
  if (!run)
    throw new AppError("NOT_FOUND", `the run ${id} of this request is no longer kept`, { details: { run: String(id) } });
  return run;
}

/** Returns the input as JSON text. Throws as {@link checkInput} does. */
export async function checkedInput(
  context: ActivityContext,
  definition: ActivityDefinition,
  input: unknown,
): Promise<string | undefined> {
  const text = input === undefined ? undefined : JSON.stringify(input);
  await checkInput(context, definition, text);
  return text;
}

/** Throws INVALID_REQUEST if the JSON text is too large or breaks the activity's schema. */
export async function checkInput(
  context: ActivityContext,
  definition: ActivityDefinition,
  text: string | undefined,
): Promise<void> {
  if (text !== undefined && Buffer.byteLength(text) > limits.inputBytes)
    throw invalidField("input", `must be at most ${limits.inputBytes} bytes as JSON`);
  if (definition.inputSchema === undefined) return;
  // Another version of the platform may have accepted the schema.
  const problem = await context.schemas.problem(definition.inputSchema);
  if (problem !== undefined)
    throw new AppError("INVALID_STATE", `the input schema of ${definition.name} cannot be used: ${problem}`);
  const violations = await context.schemas.violations(definition.inputSchema, text ?? "null");
  const [first] = violations;
  if (first) throw new AppError("INVALID_REQUEST", `${first.field} ${first.message}`, { violations });
}

export function newRun(
  context: ActivityContext,
  app: ActivityApp,
  definition: ActivityDefinition,
  from: {
    readonly key?: string | undefined;
    readonly by: string;
    readonly retryOf?: string | undefined;
    readonly traceparent: string | undefined;
  },
): NewRun["run"] {
  return {
    id: uuidv7(context.clock.now()),
    appId: app.id,
    appName: app.name,
    appVersion: app.version,
    activity: definition.name,
    status: "QUEUED",
    attempt: 0,
    maxRetries: definition.maxRetries,
    timeoutMs: definition.timeoutMs,
    singletonKey: definition.singletonKey,
    idempotencyKey: from.key,
    triggeredBy: from.by,
    retryOf: from.retryOf,
    traceparent: from.traceparent,
    progress: undefined,
    stage: undefined,
    error: undefined,
    cancelRequested: false,
    startedAt: undefined,
    finishedAt: undefined,
  };
}
