import { AppError, type Component, every, type MaybePromise } from "@appserver/kernel";
import type { IdentityProvider, PeopleQuery, Person, Session, SessionCredential } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "./accounts-database.ts";
import { passkeyTable } from "./factors/passkey-table.ts";
import type { Letters } from "./letters/letters.ts";
import type { Attempts } from "./limits/attempts.ts";
import type { GroupRefresh } from "./oidc/group-refresh.ts";
import { personTable } from "./people/person-table.ts";
import type { ScimProvisioning } from "./scim/scim-provisioning.ts";
import type { SessionMemory, SessionMemoryOptions } from "./sessions/session-memory.ts";
import type { StoredSession } from "./sessions/session-table.ts";
import { outageOf } from "./unavailable.ts";

export interface AccountsIdentityDeps extends Pick<SessionMemoryOptions, "table" | "clock" | "logger"> {
  readonly database: AccountsDatabase;
  readonly memory: SessionMemory;
  readonly attempts: Attempts;
  readonly letters: Letters | undefined;
  readonly refresh: GroupRefresh;
  readonly provisioning: Pick<ScimProvisioning, "start" | "stop"> | undefined;
  readonly sessionCookieName: string;
}

const cleaningIntervalMs = 600_000;

/** The sessions and people of the platform's own accounts. */
export class AccountsIdentity implements IdentityProvider, Component {
  readonly name = "identity";
  readonly sessionCookieName: string;
  readonly #deps: AccountsIdentityDeps;
  readonly #stopped = new AbortController();

  constructor(deps: AccountsIdentityDeps) {
    this.sessionCookieName = deps.sessionCookieName;
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { memory, letters, refresh, provisioning, clock, logger } = this.#deps;
    await memory.start();
    letters?.start();
    refresh.start();
    provisioning?.start();
    void every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: cleaningIntervalMs,
      jitter: 0.5,
      first: "after a pause",
      run: () => this.#clean(),
      onError: (error) => logger.warn({ err: error }, "accounts: could not delete what has ended"),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#deps.letters?.stop();
    await this.#deps.refresh.stop();
    await this.#deps.provisioning?.stop();
    await this.#deps.memory.stop();
  }

  whoami({ value }: SessionCredential): MaybePromise<Session> {
    const known = this.#deps.memory.identify(value);
    return known instanceof Promise ? known.then(sessionOf) : sessionOf(known);
  }

  onSessionsEnded(listener: (userId: string | undefined) => void): void {
    this.#deps.memory.onEnded(listener);
  }

  async find(query: PeopleQuery): Promise<readonly Person[]> {
    return await personTable.find(this.#deps.database, query).catch(rethrow);
  }

  /** Throws NOT_FOUND for an unknown address. */
  async idOf(address: string): Promise<string> {
    const id = await personTable.idOf(this.#deps.database, address).catch(rethrow);
    if (id === undefined) throw new AppError("NOT_FOUND", `no account has the address ${JSON.stringify(address)}`);
    return id;
  }

  async ping(timeoutMs?: number): Promise<void> {
    await this.#deps.database.ping(timeoutMs).catch(rethrow);
  }

  async #clean(): Promise<void> {
    const { database, table, attempts } = this.#deps;
    while ((await table.deleteEnded(database)) > 0);
    while ((await attempts.deleteOld()) > 0);
    await passkeyTable.deleteOldChallenges(database);
    await database.query("delete from accounts.links where ends_at < now() - interval '1 day'");
    await database.query("delete from accounts.networks where seen_at < now() - interval '60 days'");
  }
}

function sessionOf({ personId, name, email, endsAt }: StoredSession): Session {
  return { userId: personId, displayName: name, email: email ?? undefined, expiresAt: endsAt };
}

function rethrow(error: unknown): never {
  throw outageOf(error);
}
