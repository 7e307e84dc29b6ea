import type { RunStatus } from "@appserver/contracts/graphql/types";
import { type Caller, connectionOf } from "@appserver/kernel";
import { type RunRecord, shownStatus } from "../domain/run.ts";
import type { ScheduleRecord } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { listSchedules } from "../use-cases/list-activities.ts";
import { cancelRun, cursorOf, listRuns, visibleApp, watchRun } from "../use-cases/read-runs.ts";
import { triggerActivity } from "../use-cases/trigger-activity.ts";

/** The context that the GraphQL listener passes to every resolver. */
export interface ActivityGraphqlCall {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
}

interface RunsArguments {
  readonly appName?: string | null;
  readonly status?: RunStatus | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

/** Resolvers of the activities' part of the schema. They only translate. */
export function activityResolvers(context: ActivityContext) {
  const node = (run: RunRecord) => runNode(context, run);

  return {
    Query: {
      activityRuns: async (_: unknown, args: RunsArguments, call: ActivityGraphqlCall) => {
        const filter = { appName: args.appName ?? undefined, status: args.status ?? undefined };
        const page = await listRuns(context, {
          ...filter,
          first: args.first ?? undefined,
          after: args.after ?? undefined,
          caller: call.caller,
        });
        const connection = connectionOf(page, args.after, { cursor: cursorOf, node });
        return { ...connection, filter: { ...filter, caller: call.caller } };
      },
      activitySchedules: async (_: unknown, args: { appName?: string | null }, call: ActivityGraphqlCall) =>
        (await listSchedules(context, args.appName ?? undefined, call.caller)).map(scheduleNode),
    },
    Mutation: {
      triggerActivity: async (
        _: unknown,
        args: { appName: string; activity: string; input?: unknown; idempotencyKey?: string | null },
        call: ActivityGraphqlCall,
      ) => {
        const { appName, activity, input, idempotencyKey } = args;
        const request = { appName, activity, input, idempotencyKey: idempotencyKey ?? undefined, caller: call.caller };
        return node(await triggerActivity(context, request));
      },
      cancelActivityRun: async (_: unknown, args: { id: string }, call: ActivityGraphqlCall) =>
        node(await cancelRun(context, args.id, call.caller)),
    },
    Subscription: {
      activityProgress: {
        subscribe: (_: unknown, args: { runId: string }, call: ActivityGraphqlCall) => progress(context, args.runId, call),
      },
    },
    /** Input and output may be large, so they are read only if the query selects them. */
    ActivityRun: {
      input: (run: RunNode) => run.value("input"),
      output: (run: RunNode) => run.value("output"),
    },
    ActivityRunConnection: {
      /** Counted only if the query selects it. */
      totalCount: async (connection: {
        filter: { appName: string | undefined; status: RunStatus | undefined; caller: Caller };
      }) => {
        const { status } = connection.filter;
        return context.runs.count({ appName: await visibleApp(context, connection.filter), status });
      },
    },
  };
}

async function* progress(context: ActivityContext, runId: string, call: ActivityGraphqlCall) {
  const signal = call.signal ?? new AbortController().signal;
  for await (const run of watchRun(context, runId, call.caller, signal)) yield runNode(context, run);
}

type RunNode = ReturnType<typeof runNode>;

function runNode(context: ActivityContext, run: RunRecord) {
  let loading: ReturnType<ActivityContext["runs"]["values"]> | undefined;
  const value = async (name: "input" | "output"): Promise<unknown> => {
    loading ??= context.runs.values(run.id);
    const text = (await loading)[name];
    return text === undefined ? null : (JSON.parse(text) as unknown);
  };
  return {
    id: run.id,
    appName: run.appName,
    activity: run.activity,
    status: shownStatus(run),
    attempt: run.attempt,
    progress: run.progress ?? null,
    stage: run.stage ?? null,
    value,
    error: run.error ? { ...run.error, details: run.error.details ?? null } : null,
    scheduledFor: run.scheduledFor.toISOString(),
    queuedAt: run.queuedAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
  };
}

function scheduleNode(schedule: ScheduleRecord) {
  const { id, appName, activity, cron, intervalSeconds, timezone, enabled, nextRunAt } = schedule;
  return {
    id,
    appName,
    activity,
    cron: cron ?? `@every ${intervalSeconds}s`,
    timezone,
    enabled,
    nextRunAt: enabled ? nextRunAt.toISOString() : null,
  };
}
