import { defineDriver } from "@appserver/driver";
import { authorizationMigrations } from "./migrations.ts";

export const driver = defineDriver({
  family: "authorization",
  version: 1,
  name: "embedded",
  doc: "each process evaluates the tuples in the platform's database",
  migrations: authorizationMigrations,
  open: async (_options, context) => {
    const { StoredAuthorization } = await import("./stored-authorization.ts");
    return new StoredAuthorization(context);
  },
});
