import type { Migration } from "@appserver/kernel/ports";
import { auditMigrations } from "./audit-log.ts";
import { eventHistoryMigrations } from "./event-history.ts";
import { metricHistoryMigrations } from "./metric-history.ts";
import { requestHistoryMigrations } from "./request-history.ts";

/** What the platform did, in the schema `platform`. Only this service uses the tables. */
export const recordsMigrations: readonly Migration[] = [
  ...auditMigrations,
  ...eventHistoryMigrations,
  ...metricHistoryMigrations,
  ...requestHistoryMigrations,
];
