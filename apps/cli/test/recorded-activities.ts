import { type ActivityService, RunStatus } from "@appserver/contracts/proto/appserver/v2/activity";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";

const ofApp = { appName: "com.example.notes", activity: "nightly-count" };
const nightly = {
  ...ofApp,
  id: "0198c0de-0000-7000-8000-00000000000a",
  key: "@declared",
  trigger: { case: "cron", value: "0 3 * * *" } as const,
  timezone: "UTC",
  enabled: true,
  nextRunAt: timestampFromDate(new Date("2026-01-02T03:00:00Z")),
};
const off = { ...nightly, key: "weekly", enabled: false };
/** Of an app that does not run. */
const waiting = {
  ...ofApp,
  appName: "com.example.clock",
  id: "0198c0de-0000-7000-8000-00000000000c",
  status: RunStatus.QUEUED,
};
const run = { ...ofApp, id: "0198c0de-0000-7000-8000-00000000000b", status: RunStatus.QUEUED };

/** Returns what the recorded platform answers about activities. */
export function recordedActivities(
  note: (context: HandlerContext, request: unknown) => void,
): Partial<ServiceImpl<typeof ActivityService>> {
  return {
    listActivities(request, context) {
      note(context, request);
      return request.appName === "com.example.clock" ? {} : { activities: [{ ...ofApp, schedules: [nightly, off] }] };
    },
    setScheduleEnabled(request, context) {
      note(context, request);
      return { schedule: { ...nightly, enabled: request.enabled, paused: !request.enabled } };
    },
    deleteSchedule(request, context) {
      note(context, request);
      return { schedule: nightly };
    },
    runScheduleNow(request, context) {
      note(context, request);
      return { run };
    },
    retryRun(request, context) {
      note(context, request);
      return { run: { ...run, retryOf: request.id } };
    },
    triggerActivity(request, context) {
      note(context, request);
      return { run: request.appName === waiting.appName ? waiting : run };
    },
    async *watchRun(request, context) {
      note(context, request);
      if (request.id === waiting.id) {
        yield { run: waiting };
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
        return;
      }
      yield { run: { ...run, status: RunStatus.COMPLETED } };
    },
  };
}
