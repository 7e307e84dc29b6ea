import { platformMigrations } from "@appserver/kernel";
import type { Migration } from "@appserver/kernel/ports";
import { migrationsOfDrivers } from "../config/drivers/driver-catalogue.ts";
import type { ServeConfig } from "../config/serve-config.ts";
import { serviceMigrations } from "./services.ts";

/** Returns the tables of a server with this configuration. */
export function serverMigrations({ drivers }: Pick<ServeConfig, "drivers">): readonly Migration[] {
  return [...platformMigrations, ...migrationsOfDrivers(drivers), ...serviceMigrations];
}
