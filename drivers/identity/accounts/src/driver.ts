import { defineDriver, types } from "@appserver/driver";
import { accountsMigrations } from "./accounts-migrations.ts";

export const driver = defineDriver({
  family: "identity",
  version: 1,
  name: "accounts",
  doc: "accounts in the platform's database",
  migrations: accountsMigrations,
  options: {
    yaml: "accounts",
    doc: "Accounts in the platform's database (docs/interface/accounts.md).",
    options: {
      lifetimeMs: {
        env: "APPSERVER_ACCOUNTS_SESSION_LIFETIME",
        yaml: "session_lifetime",
        type: types.duration,
        default: "168h",
        doc: "How long a session lasts after the sign-in",
      },
      idleMs: {
        env: "APPSERVER_ACCOUNTS_SESSION_IDLE",
        yaml: "session_idle",
        type: types.duration,
        default: "24h",
        doc: "A session that is not used for this time ends",
      },
    },
  },
  open: async (times, context) => {
    const { openAccounts } = await import("./accounts.ts");
    return openAccounts(times, context);
  },
});
