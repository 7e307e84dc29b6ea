import { AppError } from "@appserver/kernel";
import type { IdentityProvider, PeopleQuery, Person, Session, SessionCredential } from "@appserver/kernel/ports";

/** Sessions by their value. `outage` makes every lookup fail. */
export class MapIdentity implements IdentityProvider {
  readonly sessionCookieName = "identity_session";
  readonly sessions = new Map<string, Session>();
  asked = 0;
  outage = false;
  readonly #onEnded: ((userId: string | undefined) => void)[] = [];

  async whoami(credential: SessionCredential): Promise<Session> {
    this.asked += 1;
    await new Promise(setImmediate);
    if (this.outage) throw new AppError("SERVICE_UNAVAILABLE", "the identity provider is down");
    const session = this.sessions.get(credential.value);
    if (!session) throw new AppError("AUTHENTICATION_FAILED", "the session is not valid");
    return session;
  }

  onSessionsEnded(listener: (userId: string | undefined) => void): void {
    this.#onEnded.push(listener);
  }

  /** Ends a session, and says so. */
  end(value: string): void {
    const userId = this.sessions.get(value)?.userId;
    this.sessions.delete(value);
    for (const listener of this.#onEnded) listener(userId);
  }

  async find(query: PeopleQuery): Promise<readonly Person[]> {
    const people = [...this.sessions.values()];
    return "ids" in query ? people.filter(({ userId }) => query.ids.includes(userId)) : people.slice(0, query.limit);
  }

  async ping(): Promise<void> {}
}
