import { defineDriver, types } from "@appserver/driver";
import { accountsMigrations } from "./accounts-migrations.ts";
import { providersType } from "./oidc/provider-options.ts";

const minIdleMs = 300_000;

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
      scimToken: {
        env: "APPSERVER_ACCOUNTS_SCIM_TOKEN",
        yaml: "scim_token",
        type: types.matching(/^[\x21-\x7e]{16,1024}$/, "16 or more printable characters without spaces"),
        secret: true,
        doc: "Bearer token with which a company's identity system makes, disables and removes accounts and groups at `/scim/v2`. Without it there is no such path",
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
  rules: ({ idleMs = minIdleMs, providers = [] }) => {
    const ids = providers.map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    const sameId = { option: "providers", message: `expected another id than ${twice}, which two providers have` };
    const tooShort = { option: "idleMs", message: "expected 5m or more, because the last use is written once a minute" };
    return [...(idleMs < minIdleMs ? [tooShort] : []), ...(twice === undefined ? [] : [sameId])];
  },
  open: async (options, context) => {
    const { openAccounts } = await import("./accounts.ts");
    return openAccounts(options, context);
  },
});
