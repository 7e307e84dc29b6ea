import type { RootFields } from "./recorded-graphql.ts";

const ofApp = { appName: "com.example.notes", activity: "nightly-count" };
const nightly = {
  ...ofApp,
  id: "0198c0de-0000-7000-8000-00000000000a",
  key: "@declared",
  cron: "0 3 * * *",
  timezone: "UTC",
  enabled: true,
  nextRunAt: "2026-01-02T03:00:00.000Z",
};
const off = { ...nightly, key: "weekly", enabled: false };
/** Of an app that does not run. */
const waiting = { ...ofApp, appName: "com.example.clock", id: "0198c0de-0000-7000-8000-00000000000c", status: "QUEUED" };
const run = { ...ofApp, id: "0198c0de-0000-7000-8000-00000000000b", status: "QUEUED" };

/** What the recorded platform answers about activities. */
export const recordedActivities: RootFields = {
  activitySchedules: ({ appName }: { readonly appName?: string }) => (appName === "com.example.clock" ? [] : [nightly, off]),
  setScheduleEnabled: ({ enabled }: { readonly enabled: boolean }) => ({ ...nightly, enabled, paused: !enabled }),
  deleteSchedule: () => nightly,
  runScheduleNow: () => run,
  retryActivityRun: ({ id }: { readonly id: string }) => ({ ...run, retryOf: id }),
  triggerActivity: ({ appName }: { readonly appName: string }) => (appName === waiting.appName ? waiting : run),
  async *activityProgress({ runId }: { readonly runId: string }) {
    if (runId !== waiting.id) {
      yield { activityProgress: { ...run, status: "COMPLETED" } };
      return;
    }
    yield { activityProgress: waiting };
    await new Promise(() => {});
  },
};
