import { mutation, type Operations, ofApps, query, subscription } from "./operation.ts";

/** Operations on activities, their runs and schedules. */
export const activityOperations: Operations = {
  registerActivities: {
    ...ofApps,
    permission: { none: "an app registers its own activities" },
    grpc: "ActivityService.RegisterActivities",
  },
  scheduleActivity: {
    absent: "apps and operators set schedules, over gRPC",
    permission: "activity:trigger",
    grpc: "ActivityService.ScheduleActivity",
    appctl: ["activities schedule"],
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  setScheduleEnabled: {
    ...mutation,
    permission: "activity:trigger",
    grpc: "ActivityService.SetScheduleEnabled",
    appctl: ["activities pause", "activities resume"],
    errors: ["NOT_FOUND"],
  },
  deleteSchedule: {
    ...mutation,
    permission: "activity:trigger",
    grpc: "ActivityService.DeleteSchedule",
    appctl: ["activities delete-schedule"],
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  runScheduleNow: {
    ...mutation,
    permission: "activity:trigger",
    grpc: "ActivityService.RunScheduleNow",
    appctl: ["activities run"],
    errors: ["NOT_FOUND"],
  },
  work: { ...ofApps, permission: { none: "an app does its own runs" }, grpc: "ActivityService.Work" },
  triggerActivity: {
    ...mutation,
    permission: "activity:trigger",
    grpc: "ActivityService.TriggerActivity",
    appctl: ["activities trigger"],
    errors: ["NOT_FOUND", "CONFLICT", "INVALID_STATE"],
  },
  cancelActivityRun: {
    ...mutation,
    permission: "activity:cancel",
    grpc: "ActivityService.CancelRun",
    appctl: ["activities cancel"],
    errors: ["NOT_FOUND"],
  },
  retryActivityRun: {
    ...mutation,
    permission: "activity:trigger",
    grpc: "ActivityService.RetryRun",
    appctl: ["activities retry"],
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  activityRun: {
    ...query,
    permission: "activity:view",
    grpc: "ActivityService.GetRun",
    appctl: { none: "`appctl activities watch` shows a run and follows it" },
    errors: ["NOT_FOUND"],
  },
  activityRuns: { ...query, permission: "activity:view", grpc: "ActivityService.ListRuns", appctl: ["activities runs"] },
  activityProgress: {
    ...subscription,
    permission: "activity:view",
    grpc: "ActivityService.WatchRun",
    appctl: ["activities watch"],
    errors: ["NOT_FOUND"],
  },
  activitySchedules: {
    ...query,
    permission: "activity:view",
    absent: "ListActivities has the schedules over gRPC",
    appctl: { none: "`appctl activities schedules` shows those of ListActivities" },
  },
  activities: {
    ...query,
    permission: "activity:view",
    grpc: "ActivityService.ListActivities",
    appctl: ["activities list", "activities schedules"],
    errors: ["NOT_FOUND"],
  },
};
