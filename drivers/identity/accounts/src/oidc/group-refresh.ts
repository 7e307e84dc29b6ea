import { type Clock, every, forEachLimited, isAppError, type Logger } from "@appserver/kernel";
import type { AccountsDatabase } from "../accounts-database.ts";
import type { Secrets } from "../people/secrets.ts";
import type { SessionTable } from "../sessions/session-table.ts";
import type { Provider } from "./provider.ts";
import type { ProviderGroups } from "./provider-groups.ts";
import { type DueProviderSession, type ProviderSession, providerSessionTable } from "./provider-session-table.ts";

export interface GroupRefreshDeps {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly groups: ProviderGroups;
  readonly database: AccountsDatabase;
  readonly sessions: SessionTable;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How often a provider is asked for the groups of a session. */
export const refreshMs = 900_000;
const retryMs = 60_000;
const pollMs = 15_000;
const batch = 20;
const parallel = 4;
/** With `strict`, a session ends if its provider has not told the groups for this time. */
const strictMs = 3_600_000;

/** Asks providers again for the groups of people who are signed in, and ends the sessions of those who left. */
export class GroupRefresh {
  readonly #deps: GroupRefreshDeps;
  readonly #stopped = new AbortController();
  #turns: Promise<void> = Promise.resolve();

  constructor(deps: GroupRefreshDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { clock, logger } = this.#deps;
    this.#turns = every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: pollMs,
      jitter: 0.3,
      first: "after a pause",
      run: () => this.refreshDue(),
      onError: (error) => logger.warn({ err: error }, "accounts: the groups of people could not be read again"),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#turns;
  }

  async refreshDue(): Promise<void> {
    const { database, sessions, providers, logger } = this.#deps;
    for (;;) {
      const wanted = { providers: [...providers.keys()], limit: batch, idleMs: sessions.idleMs };
      const due = await providerSessionTable.claim(database, wanted);
      await forEachLimited(due, parallel, async (session) => {
        try {
          await this.#refresh(session);
        } catch (error) {
          logger.warn({ err: error, userId: session.personId }, "accounts: the groups of a person could not be read again");
        }
      });
      if (this.#stopped.signal.aborted) return;
      if (due.length < batch) break;
    }
    await providerSessionTable.endAbandoned(database);
  }

  async #refresh(session: DueProviderSession): Promise<void> {
    const { providers, groups, database, secrets } = this.#deps;
    const provider = providers.get(session.providerId);
    if (!provider) return;
    const token = await secrets.read(database, placeOf(session));
    if (token === undefined) return await this.#end(session, "its refresh token is not there any more");
    try {
      const refreshed = await provider.refresh(token, session.subject);
      // First, because the one that was used is not valid any more.
      if (refreshed.refreshToken !== undefined) await secrets.keep(database, placeOf(session), refreshed.refreshToken);
      const isAdmitted = await groups.take(provider.options, session.personId, refreshed.groups);
      if (isAdmitted) await providerSessionTable.read(database, session.sessionId, refreshMs);
      else await this.#end(session, "the provider did not tell the groups");
    } catch (error) {
      if (isAppError(error, "AUTHENTICATION_FAILED")) return await this.#end(session, "the provider refused to renew it");
      if (!isAppError(error, "SERVICE_UNAVAILABLE")) throw error;
      await this.#waitFor(provider, session);
    }
  }

  /** The provider does not respond. */
  async #waitFor(provider: Provider, session: DueProviderSession): Promise<void> {
    const { groups, database } = this.#deps;
    if (provider.options.groupsMode === "strict" && session.ageMs > strictMs)
      return await this.#end(session, "the provider does not respond");
    await groups.keep(provider.options, session.personId);
    await providerSessionTable.retry(database, session.sessionId, retryMs);
  }

  async #end({ personId, sessionId, providerId }: ProviderSession, why: string): Promise<void> {
    const { database, sessions, logger } = this.#deps;
    logger.info({ userId: personId, provider: providerId, why }, "accounts: a session has ended");
    await sessions.end(database, personId, sessionId);
  }
}

/** Where the refresh token of a session is kept. */
export function placeOf({ personId, sessionId }: Pick<ProviderSession, "personId" | "sessionId">) {
  return { personId, sessionId, name: `refresh:${sessionId}` };
}
