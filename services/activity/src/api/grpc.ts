import { inexactNumberPath, inexactNumberProblem } from "@appserver/contracts/json";
import {
  type CancelRunRequest,
  DeclaredActivitySchema,
  type DeleteScheduleRequest,
  type GetRunRequest,
  type ListActivitiesRequest,
  type ListRunsRequest,
  type RegisterActivitiesRequest,
  type RetryRunRequest,
  type RunScheduleNowRequest,
  RunStatus,
  type ScheduleActivityRequest,
  type SetScheduleEnabledRequest,
  type TriggerActivityRequest,
  type WatchRunRequest,
  type WorkRequest,
} from "@appserver/contracts/proto/appserver/v2/activity";
import { type Call, invalidField, nextPageToken } from "@appserver/kernel";
import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { definitionDefaults } from "../domain/activity-definition.ts";
import { isTerminal, type RunRecord, type ShownStatus } from "../domain/run.ts";
import { isActive } from "../domain/schedule.ts";
import type { WorkStreams } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { deleteSchedule } from "../use-cases/delete-schedule.ts";
import { listActivities } from "../use-cases/list-activities.ts";
import { openWorkStream } from "../use-cases/open-work-stream.ts";
import { cancelRun, cursorOf, getRun, listRuns, readAttempts, readValues, watchRun } from "../use-cases/read-runs.ts";
import { registerActivities } from "../use-cases/register-activities.ts";
import { retryRun } from "../use-cases/retry-run.ts";
import { runScheduleNow } from "../use-cases/run-schedule-now.ts";
import { scheduleActivity } from "../use-cases/schedule-activity.ts";
import { setScheduleEnabled } from "../use-cases/set-schedule-enabled.ts";
import { triggerActivity } from "../use-cases/trigger-activity.ts";
import { work } from "./grpc-work.ts";
import { definitionMessage, jsonOf, readDefinition, runMessage, scheduleMessage } from "./messages.ts";

/** The methods of `appserver.v2.ActivityService`. They only translate. */
export function activityGrpc(context: ActivityContext & { readonly streams: WorkStreams }) {
  const whole = async (run: RunRecord) => {
    const [values, attempts] = await Promise.all([readValues(context, run), readAttempts(context, run)]);
    return runMessage(run, { ...values, attempts });
  };

  return {
    registerActivities: async (request: RegisterActivitiesRequest, call: Call) => {
      for (const [index, { schedule }] of request.activities.entries())
        if (inexactNumberPath(schedule?.input ?? "") !== undefined)
          throw invalidField(`activities[${index}].schedule.input`, inexactNumberProblem);
      await registerActivities(context, request.activities.map(readDefinition), call);
      return {};
    },
    triggerActivity: async (request: TriggerActivityRequest, call: Call) => {
      const run = await triggerActivity(
        context,
        {
          appName: request.appName,
          activity: request.activity,
          input: jsonOf(request.input),
          idempotencyKey: request.idempotencyKey,
          runAt: request.runAt && timestampDate(request.runAt),
        },
        call,
      );
      return { run: runMessage(run) };
    },
    scheduleActivity: async (request: ScheduleActivityRequest, call: Call) => {
      const { trigger } = request;
      const schedule = await scheduleActivity(
        context,
        {
          appName: request.appName,
          activity: request.activity,
          key: request.key ?? "",
          cron: trigger.case === "cron" ? trigger.value : undefined,
          intervalSeconds: trigger.case === "intervalSeconds" ? trigger.value : undefined,
          timezone: request.timezone ?? definitionDefaults.timezone,
          input: jsonOf(request.input),
          enabled: request.enabled ?? true,
        },
        call,
      );
      const next = isActive(schedule) ? { nextRunAt: timestampFromDate(schedule.nextRunAt) } : {};
      return { scheduleId: schedule.id, ...next };
    },
    setScheduleEnabled: async (request: SetScheduleEnabledRequest, call: Call) => ({
      schedule: scheduleMessage(await setScheduleEnabled(context, request, call)),
    }),
    deleteSchedule: async (request: DeleteScheduleRequest, call: Call) => ({
      schedule: scheduleMessage(await deleteSchedule(context, request.id, call)),
    }),
    runScheduleNow: async (request: RunScheduleNowRequest, call: Call) => ({
      run: runMessage(await runScheduleNow(context, request.id, call)),
    }),
    work: async function* (requests: AsyncIterable<WorkRequest>, call: Call) {
      yield* work(await openWorkStream(context, call), requests, call.signal);
    },
    cancelRun: async (request: CancelRunRequest, call: Call) => ({
      run: runMessage(await cancelRun(context, request.id, call)),
    }),
    retryRun: async (request: RetryRunRequest, call: Call) => ({
      run: runMessage(await retryRun(context, request.id, call)),
    }),
    getRun: async (request: GetRunRequest, call: Call) => ({
      run: await whole(await getRun(context, request.id, call)),
    }),
    /** Omits inputs and outputs, which may be large. */
    listRuns: async (request: ListRunsRequest, call: Call) => {
      const { status } = request;
      const page = await listRuns(
        context,
        {
          appName: request.appName,
          status: status === undefined || status === RunStatus.UNSPECIFIED ? undefined : (RunStatus[status] as ShownStatus),
          first: request.pageSize,
          after: request.pageToken,
        },
        call,
      );
      return { runs: page.items.map((run) => runMessage(run)), nextPageToken: nextPageToken(page, cursorOf) };
    },
    /** The last message carries the output. */
    watchRun: async function* (request: WatchRunRequest, call: Call) {
      for await (const run of watchRun(context, request.id, call))
        yield { run: isTerminal(run.status) ? await whole(run) : runMessage(run) };
    },
    listActivities: async (request: ListActivitiesRequest, call: Call) => {
      const activities = await listActivities(context, request.appName, call);
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
