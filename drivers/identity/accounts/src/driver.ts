import { defineDriver, types } from "@appserver/driver";
import { accountsMigrations } from "./accounts-migrations.ts";
import { providersType } from "./oidc/provider-options.ts";

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
      providers: {
        env: "APPSERVER_ACCOUNTS_PROVIDERS",
        yaml: "providers",
        type: providersType,
        default: "[]",
        inFile: true,
        doc: "OpenID providers at which people sign in. In the environment as JSON",
      },
    },
  },
  rules: ({ providers = [] }) => {
    const ids = providers.map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    return twice === undefined
      ? []
      : [{ option: "providers", message: `a different id for each provider, got ${twice} twice` }];
  },
  open: async (options, context) => {
    const { openAccounts } = await import("./accounts.ts");
    return openAccounts(options, context);
  },
});
