import {
  type CancelRunRequest,
  DeclaredActivitySchema,
  type GetRunRequest,
  type ListActivitiesRequest,
  type ListRunsRequest,
  type RegisterActivitiesRequest,
  RunStatus,
  type ScheduleActivityRequest,
  type TriggerActivityRequest,
  type WatchRunRequest,
  type WorkRequest,
} from "@appserver/contracts/proto/appserver/v2/activity";
import { type Caller, nextPageToken } from "@appserver/kernel";
import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { definitionDefaults } from "../domain/activity-definition.ts";
import { isTerminal, type RunRecord, type ShownStatus } from "../domain/run.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import type { Dispatcher } from "../use-cases/dispatcher.ts";
import { listActivities } from "../use-cases/list-activities.ts";
import { cancelRun, cursorOf, getRun, listRuns, watchRun } from "../use-cases/read-runs.ts";
import { registerActivities, requireApp } from "../use-cases/register-activities.ts";
import { scheduleActivity } from "../use-cases/schedule-activity.ts";
import { triggerActivity } from "../use-cases/trigger-activity.ts";
import { work } from "./grpc-work.ts";
import { definitionMessage, jsonOf, readDefinition, runMessage, scheduleMessage } from "./messages.ts";

/** The information about a call that the gRPC listener passes. */
export interface ActivityGrpcCall {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

export interface ActivityGrpcDependencies<C> {
  readonly context: ActivityContext;
  readonly dispatcher: Dispatcher;
  /** Reads caller and signal from the transport's context. */
  readonly call: (transport: C) => ActivityGrpcCall;
}

/** The methods of `appserver.v2.ActivityService`. They only translate. */
export function activityGrpc<C>({ context, dispatcher, call }: ActivityGrpcDependencies<C>) {
  const whole = async (run: RunRecord) => runMessage(run, await context.runs.values(run.id));

  return {
    registerActivities: async (request: RegisterActivitiesRequest, transport: C) => {
      await registerActivities(context, request.activities.map(readDefinition), call(transport).caller);
      return {};
    },
    triggerActivity: async (request: TriggerActivityRequest, transport: C) => {
      const run = await triggerActivity(context, {
        appName: request.appName,
        activity: request.activity,
        input: jsonOf(request.input),
        idempotencyKey: request.idempotencyKey,
        runAt: request.runAt && timestampDate(request.runAt),
        caller: call(transport).caller,
      });
      return { run: runMessage(run) };
    },
    scheduleActivity: async (request: ScheduleActivityRequest, transport: C) => {
      const { trigger } = request;
      const schedule = await scheduleActivity(context, {
        appName: request.appName,
        activity: request.activity,
        key: request.key ?? "",
        cron: trigger.case === "cron" ? trigger.value : undefined,
        intervalSeconds: trigger.case === "intervalSeconds" ? trigger.value : undefined,
        timezone: request.timezone ?? definitionDefaults.timezone,
        input: jsonOf(request.input),
        enabled: request.enabled ?? true,
        caller: call(transport).caller,
      });
      const next = schedule.enabled ? { nextRunAt: timestampFromDate(schedule.nextRunAt) } : {};
      return { scheduleId: schedule.id, ...next };
    },
    work: async function* (requests: AsyncIterable<WorkRequest>, transport: C) {
      const { caller, signal } = call(transport);
      const { name } = await context.catalogue.app(requireApp(caller, "work"));
      yield* work(dispatcher, name, requests, signal);
    },
    cancelRun: async (request: CancelRunRequest, transport: C) => ({
      run: runMessage(await cancelRun(context, request.id, call(transport).caller)),
    }),
    getRun: async (request: GetRunRequest, transport: C) => ({
      run: await whole(await getRun(context, request.id, call(transport).caller)),
    }),
    /** Omits inputs and outputs, which may be large. */
    listRuns: async (request: ListRunsRequest, transport: C) => {
      const { status } = request;
      const page = await listRuns(context, {
        appName: request.appName,
        status: status === undefined || status === RunStatus.UNSPECIFIED ? undefined : (RunStatus[status] as ShownStatus),
        first: request.pageSize,
        after: request.pageToken,
        caller: call(transport).caller,
      });
      return { runs: page.items.map((run) => runMessage(run)), nextPageToken: nextPageToken(page, cursorOf) };
    },
    /** The last message carries the output. */
    watchRun: async function* (request: WatchRunRequest, transport: C) {
      const { caller, signal } = call(transport);
      for await (const run of watchRun(context, request.id, caller, signal))
        yield { run: isTerminal(run.status) ? await whole(run) : runMessage(run) };
    },
    listActivities: async (request: ListActivitiesRequest, transport: C) => {
      const activities = await listActivities(context, request.appName, call(transport).caller);
      return {
        activities: activities.map(({ appName, definition, schedules }) =>
          create(DeclaredActivitySchema, {
            appName,
            definition: definitionMessage(definition),
            schedules: schedules.map(scheduleMessage),
          }),
        ),
      };
    },
  };
}
