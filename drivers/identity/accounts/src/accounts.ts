import type { Accounts, Identity, IdentityContext } from "@appserver/driver";
import { startedDatabase } from "./accounts-database.ts";
import { AccountsIdentity } from "./accounts-identity.ts";
import { accountsSignIn } from "./accounts-sign-in.ts";
import { sealingKey } from "./browser/sealing-key.ts";
import { Passkeys } from "./factors/passkeys.ts";
import { SecondFactors } from "./factors/second-factors.ts";
import { Totp } from "./factors/totp.ts";
import { FactorSettings } from "./flows/factor-settings.ts";
import { LoginFlow } from "./flows/login.ts";
import { RecoveryFlow } from "./flows/recovery.ts";
import { RegistrationFlow } from "./flows/registration.ts";
import { SecondStep } from "./flows/second-step.ts";
import { AccountsSelfService } from "./flows/self-service.ts";
import { SettingsFlow } from "./flows/settings.ts";
import { Letters } from "./letters/letters.ts";
import { Attempts } from "./limits/attempts.ts";
import { openProviders } from "./oidc/open-providers.ts";
import type { ProviderOptions } from "./oidc/provider-options.ts";
import { AccountStates } from "./people/account-states.ts";
import { Invitations } from "./people/invitations.ts";
import { Passwords } from "./people/password.ts";
import { Secrets } from "./people/secrets.ts";
import { ScimProvisioning } from "./scim/scim-provisioning.ts";
import { SessionCookie } from "./session-cookie.ts";
import { SessionMemory } from "./sessions/session-memory.ts";
import { SessionTable, type SessionTimes } from "./sessions/session-table.ts";

export interface AccountsOptions extends SessionTimes {
  readonly providers: readonly ProviderOptions[];
  readonly scimToken?: string | undefined;
}

/** Accounts in the platform's own database. */
export function openAccounts({ providers: known, scimToken, ...times }: AccountsOptions, context: IdentityContext): Identity {
  const { clock, logger, ownUrl } = context;
  const database = startedDatabase(context.database);
  const table = new SessionTable(times);
  const memory = new SessionMemory({ database, table, times, clock, logger });
  const attempts = new Attempts(database);
  const passwords = new Passwords();
  const secrets = new Secrets(context.seal);
  // A name with this prefix is set by the host itself, not by its neighbours, and only over TLS.
  const defaultName = ownUrl?.startsWith("https:") ? "__Host-appserver_session" : "appserver_session";
  const sessionCookieName = context.sessionCookieName ?? defaultName;
  const cookie = new SessionCookie(sessionCookieName, times.lifetimeMs);
  const letters = lettersOf(context, database);
  const invitations = new Invitations(database, letters);
  const key = sealingKey(database);
  const { providers, refresh } = openProviders({
    known,
    key,
    memberships: context.groups,
    invitations,
    secrets,
    sessions: table,
    database,
    clock,
    logger,
  });
  const provisioning =
    scimToken === undefined
      ? undefined
      : new ScimProvisioning({ token: scimToken, memberships: context.groups, database, ownUrl, clock, logger });
  const provider = new AccountsIdentity({
    refresh,
    provisioning,
    database,
    table,
    memory,
    attempts,
    letters,
    sessionCookieName,
    clock,
    logger,
  });
  const shared = { database, passwords, sessions: table };
  const totp = new Totp({ secrets, clock, platformName: context.platformName });
  const passkeys = new Passkeys({ database, key, clock, logger, platformName: context.platformName });
  const factors = new SecondFactors({ totp, passkeys, attempts });
  const secondStep = new SecondStep({ database, sessions: table, attempts, factors, passkeys, key, clock });
  const factorSettings = new FactorSettings({ database, sessions: table, factors, totp, passkeys, providers, key, clock });
  const flows = {
    login: new LoginFlow({ ...shared, attempts, providers, passkeys, factors, secondStep }),
    registration: new RegistrationFlow({ ...shared, invitations, providers, secondStep }),
    recovery: new RecoveryFlow({ ...shared, attempts, letters, secondStep }),
    settings: new SettingsFlow({ ...shared, providers, factorSettings, clock }),
  };
  return {
    provider,
    signIn: accountsSignIn({ database, table, cookie }),
    selfService: new AccountsSelfService({ flows, memory, cookie, providers, ownUrl }),
    ...(provisioning && { provisioning }),
    accounts: accountsOf(invitations, new AccountStates(database)),
    users: [],
    resealSecrets: () => secrets.reseal(database),
    idOf: (address) => provider.idOf(address),
  };
}

function accountsOf(invitations: Invitations, states: AccountStates): Accounts {
  const { inviteByLetter } = invitations;
  return {
    invite: (invitation) => invitations.invite(invitation),
    ...(inviteByLetter && { inviteByLetter }),
    inviteFirst: (invitation) => invitations.inviteFirst(invitation),
    find: (userId) => states.find(userId),
    setActive: (change) => states.setActive(change),
    remove: (removal) => states.remove(removal),
    export: (userId) => states.export(userId),
  };
}

/** Links in letters need an address that no sender of a request can choose. */
function lettersOf(
  { mail, ownUrl, clock, logger }: IdentityContext,
  database: ReturnType<typeof startedDatabase>,
): Letters | undefined {
  if (mail === undefined) return undefined;
  if (ownUrl !== undefined) return new Letters({ mail, ownUrl, database, clock, logger });
  logger.warn({}, "accounts: no letters are sent, because server.public_url is not set");
  return undefined;
}
