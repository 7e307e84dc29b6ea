import { defineDriver } from "@appserver/driver";
import { brokerMigrations } from "./broker-migrations.ts";

export const driver = defineDriver({
  family: "broker",
  version: 1,
  name: "postgres",
  doc: "the platform's database",
  migrations: brokerMigrations,
  open: async (_options, { database, prefetch, maxRetries, clock, logger }) => {
    const { PostgresBroker } = await import("./postgres-broker.ts");
    return new PostgresBroker({ database, prefetch, maxRetries, clock, logger });
  },
});
