import { objectOf } from "@appserver/contracts/graphql";
import type { Activity, ActivityRun, ActivitySchedule, RunStatus } from "@appserver/contracts/graphql/types";
import { type Call, connectionOf, isAppError, traceIdOf } from "@appserver/kernel";
import { definitionDefaults } from "../domain/activity-definition.ts";
import { type RunRecord, shownStatus } from "../domain/run.ts";
import { isActive } from "../domain/schedule.ts";
import type { ScheduleRecord } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { deleteSchedule } from "../use-cases/delete-schedule.ts";
import { type DeclaredActivity, listActivities, listSchedules } from "../use-cases/list-activities.ts";
import {
  cancelRun,
  countRuns,
  cursorOf,
  getRun,
  listRuns,
  type RunFilter,
  readAttempts,
  readValues,
  watchRun,
} from "../use-cases/read-runs.ts";
import { finishRun, noteProgress } from "../use-cases/report-run.ts";
import { retryRun } from "../use-cases/retry-run.ts";
import { runScheduleNow } from "../use-cases/run-schedule-now.ts";
import { scheduleActivity } from "../use-cases/schedule-activity.ts";
import { setScheduleEnabled } from "../use-cases/set-schedule-enabled.ts";
import { triggerActivity } from "../use-cases/trigger-activity.ts";

interface RunsArguments {
  readonly appName?: string | null;
  readonly status?: RunStatus | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

interface TriggerArguments {
  readonly appName: string;
  readonly activity: string;
  readonly input?: unknown;
  readonly idempotencyKey?: string | null;
  readonly runAt?: string | null;
}

interface ScheduleArguments {
  readonly appName: string;
  readonly activity: string;
  readonly key?: string | null;
  readonly cron?: string | null;
  readonly intervalSeconds?: number | null;
  readonly timezone?: string | null;
  readonly input?: unknown;
  readonly enabled?: boolean | null;
}

interface FinishArguments {
  readonly id: string;
  readonly attempt: number;
  readonly output?: unknown;
  readonly error?: string | null;
  readonly code?: string | null;
  readonly details?: unknown;
  readonly canceled?: boolean | null;
}

interface ProgressArguments {
  readonly id: string;
  readonly attempt: number;
  readonly progress: number;
  readonly stage?: string | null;
}

/** Resolvers of the activities' part of the schema. They only translate. */
export function activityResolvers(context: ActivityContext) {
  const node = (run: RunRecord) => runNode(context, run);

  return {
    Query: {
      activityRun: async (_: unknown, { id }: { id: string }, call: Call) => {
        try {
          return node(await getRun(context, id, call));
        } catch (error) {
          if (isAppError(error, "NOT_FOUND")) return null;
          throw error;
        }
      },
      activityRuns: async (_: unknown, args: RunsArguments, call: Call) => {
        const filter = { appName: args.appName ?? undefined, status: args.status ?? undefined };
        const page = await listRuns(
          context,
          { ...filter, first: args.first ?? undefined, after: args.after ?? undefined },
          call,
        );
        return { ...connectionOf(page, args.after, { cursor: cursorOf, node }), filter };
      },
      activitySchedules: async (
        _: unknown,
        args: { appName?: string | null; first?: number | null; after?: string | null },
        call: Call,
      ) => {
        const { appName, first, after } = args;
        const page = { appName: appName ?? undefined, first: first ?? undefined, after: after ?? undefined };
        return (await listSchedules(context, page, call)).map(scheduleNode);
      },
      activities: async (_: unknown, args: { appName?: string | null }, call: Call) =>
        (await listActivities(context, args.appName ?? undefined, call)).map(activityNode),
    },
    Mutation: {
      triggerActivity: async (
        _: unknown,
        { appName, activity, input, idempotencyKey, runAt }: TriggerArguments,
        call: Call,
      ) => {
        const when = { idempotencyKey: idempotencyKey ?? undefined, runAt: runAt == null ? undefined : new Date(runAt) };
        return node(await triggerActivity(context, { appName, activity, input, ...when }, call));
      },
      scheduleActivity: async (_: unknown, args: ScheduleArguments, call: Call) => {
        const { appName, activity, input, cron, intervalSeconds, key, timezone, enabled } = args;
        const recurrence = {
          cron: cron ?? undefined,
          intervalSeconds: intervalSeconds ?? undefined,
          timezone: timezone ?? definitionDefaults.timezone,
        };
        const request = { appName, activity, input, key: key ?? "", enabled: enabled ?? true, ...recurrence };
        return scheduleNode(await scheduleActivity(context, request, call));
      },
      finishActivityRun: async (_: unknown, args: FinishArguments, call: Call) => {
        const { id, attempt, output, error, code, details, canceled } = args;
        const failure = { error: error ?? undefined, code: code ?? undefined, details: details ?? undefined };
        const result = { id, attempt, output, ...failure, canceled: canceled ?? false };
        return node(await finishRun(context, result, call));
      },
      reportActivityProgress: async (_: unknown, args: ProgressArguments, call: Call) =>
        node(await noteProgress(context, { ...args, stage: args.stage ?? undefined }, call)),
      cancelActivityRun: async (_: unknown, args: { id: string }, call: Call) => node(await cancelRun(context, args.id, call)),
      retryActivityRun: async (_: unknown, args: { id: string }, call: Call) => node(await retryRun(context, args.id, call)),
      setScheduleEnabled: async (_: unknown, args: { id: string; enabled: boolean }, call: Call) =>
        scheduleNode(await setScheduleEnabled(context, args, call)),
      deleteSchedule: async (_: unknown, args: { id: string }, call: Call) =>
        scheduleNode(await deleteSchedule(context, args.id, call)),
      runScheduleNow: async (_: unknown, args: { id: string }, call: Call) =>
        node(await runScheduleNow(context, args.id, call)),
    },
    Subscription: {
      activityProgress: {
        subscribe: (_: unknown, args: { runId: string }, call: Call) => progress(context, args.runId, call),
      },
    },
    /** Values and attempts may be large, so they are read only if the query selects them. */
    ActivityRun: {
      input: (run: RunNode) => run.value("input"),
      output: (run: RunNode) => run.value("output"),
      attempts: (run: RunNode) => run.loadAttempts(),
    },
    ActivityRunConnection: {
      /** Counted only if the query selects it. */
      totalCount: ({ filter }: { readonly filter: RunFilter }, _: unknown, call: Call) => countRuns(context, filter, call),
    },
  };
}

async function* progress(context: ActivityContext, runId: string, call: Call) {
  for await (const run of watchRun(context, runId, call)) yield runNode(context, run);
}

type ShownRun = Omit<ActivityRun, "input" | "output" | "attempts">;

export type RunNode = ReturnType<typeof runNode>;

/** Returns a run as GraphQL shows it. Its values are read when they are selected. */
export function runNode(context: ActivityContext, run: RunRecord) {
  let loading: ReturnType<typeof readValues> | undefined;
  const value = async (name: "input" | "output"): Promise<unknown> => {
    loading ??= readValues(context, run);
    const text = (await loading)[name];
    return text === undefined ? null : (JSON.parse(text) as unknown);
  };
  const { traceparent } = run;
  const shown = objectOf<ShownRun>({ ...run, status: shownStatus(run), traceId: traceparent && traceIdOf(traceparent) });
  return { ...shown, value, loadAttempts: () => readAttempts(context, run) };
}

function activityNode({ appName, definition, schedules }: DeclaredActivity): Activity {
  const inputSchema: unknown = definition.inputSchema === undefined ? undefined : JSON.parse(definition.inputSchema);
  return objectOf({ ...definition, appName, inputSchema, schedules: schedules.map(scheduleNode) });
}

function scheduleNode(schedule: ScheduleRecord): ActivitySchedule {
  const { cron, intervalSeconds, nextRunAt } = schedule;
  const enabled = isActive(schedule);
  const shown = { cron: cron ?? `@every ${intervalSeconds}s`, enabled, nextRunAt: enabled ? nextRunAt : undefined };
  return objectOf({ ...schedule, ...shown });
}
