export { activityMigrations } from "../migrations/index.ts";
export { type Activity, type ActivityDeps, createActivity, migrateActivityQueue } from "./activity.ts";
export { readDefinition } from "./api/messages.ts";
export type { ActivityDefinition } from "./domain/activity-definition.ts";
export type { ActivityTimes } from "./domain/limits.ts";
export type { ActivityApp, ActivityApps } from "./ports.ts";
