import { auditMigrations } from "./audit/audit-migrations.ts";
import { eventHistoryMigrations } from "./event-history/event-history-migrations.ts";
import { idempotencyMigrations } from "./idempotency/idempotency-migrations.ts";
import { leaseMigrations } from "./leases/lease-migrations.ts";
import { metricHistoryMigrations } from "./metric-history/metric-history-migrations.ts";
import { outboxMigrations } from "./outbox/outbox-migrations.ts";
import { permissionChangesMigrations } from "./permission-changes/permission-changes-migrations.ts";
import type { Migration } from "./platform-ports/database.ts";
import { requestHistoryMigrations } from "./request-history/request-history-migrations.ts";

/** Tables of the kernel, in the schema `platform`. */
export const platformMigrations: readonly Migration[] = [
  ...leaseMigrations,
  ...outboxMigrations,
  ...auditMigrations,
  ...permissionChangesMigrations,
  ...idempotencyMigrations,
  ...eventHistoryMigrations,
  ...metricHistoryMigrations,
  ...requestHistoryMigrations,
];
