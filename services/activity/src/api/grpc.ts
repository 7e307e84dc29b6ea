import { inexactNumberPath, inexactNumberProblem } from "@appserver/contracts/json";
import type {
  CancelRunRequest,
  GetRunRequest,
  RegisterActivitiesRequest,
  ScheduleActivityRequest,
  TriggerActivityRequest,
  WorkRequest,
} from "@appserver/contracts/proto/appserver/v2/activity";
import { type Call, invalidField } from "@appserver/kernel";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { definitionDefaults } from "../domain/activity-definition.ts";
import { isActive } from "../domain/schedule.ts";
import type { WorkStreams } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import { openWorkStream } from "../use-cases/open-work-stream.ts";
import { cancelRun, getRun, readAttempts, readValues } from "../use-cases/read-runs.ts";
import { registerActivities } from "../use-cases/register-activities.ts";
import { scheduleActivity } from "../use-cases/schedule-activity.ts";
import { triggerActivity } from "../use-cases/trigger-activity.ts";
import { work } from "./grpc-work.ts";
import { jsonOf, readDefinition, runMessage } from "./messages.ts";

/** The methods of `appserver.v2.ActivityService`. They only translate. */
export function activityGrpc(context: ActivityContext & { readonly streams: WorkStreams }) {
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
    work: async function* (requests: AsyncIterable<WorkRequest>, call: Call) {
      yield* work(await openWorkStream(context, call), requests, call.signal);
    },
    cancelRun: async (request: CancelRunRequest, call: Call) => ({
      run: runMessage(await cancelRun(context, request.id, call)),
    }),
    getRun: async ({ id }: GetRunRequest, call: Call) => {
      const run = await getRun(context, id, call);
      const [values, attempts] = await Promise.all([readValues(context, run), readAttempts(context, run)]);
      return { run: runMessage(run, { ...values, attempts }) };
    },
  };
}
