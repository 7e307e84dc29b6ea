import { idempotencyMigrations } from "./idempotency/idempotency-migrations.ts";
import { leaseMigrations } from "./leases/lease-migrations.ts";
import { outboxMigrations } from "./outbox/outbox-migrations.ts";
import { permissionChangesMigrations } from "./permission-changes/permission-changes-migrations.ts";
import type { Migration } from "./platform-ports/database.ts";
import { serverMigrations } from "./servers/server-migrations.ts";

/** Tables of the kernel, in the schema `platform`. */
export const platformMigrations: readonly Migration[] = [
  ...leaseMigrations,
  ...outboxMigrations,
  ...permissionChangesMigrations,
  ...idempotencyMigrations,
  ...serverMigrations,
];
