import type { DevUser } from "@appserver/driver";
import { AppError, type Clock, type Component } from "@appserver/kernel";
import type { IdentityProvider, PeopleQuery, Person, Session, SessionCredential } from "@appserver/kernel/ports";
import { devUsers } from "./dev-user.ts";
import { renderLoginPage } from "./login-page.ts";
import { openSession, signSession } from "./session-token.ts";

export interface DevIdentityOptions {
  /** Anyone may log in as any user here, so the caller must confirm that this is a development environment. */
  readonly environment: "dev";
  /** At least 32 random bytes. Sessions are valid as long as it stays the same. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
  /** Default: {@link devUsers}. */
  readonly users?: readonly DevUser[];
  /** Default `identity_session` (docs/interface/permissions.md#sessions). */
  readonly sessionCookieName?: string;
}

export interface Login {
  /** For `Authorization: Bearer …`. */
  readonly token: string;
  /** The value of a `Set-Cookie` header. */
  readonly cookie: string;
}

const sessionLifetimeMs = 24 * 3600 * 1000;
/** Of the sessions that have ended, so many are remembered. */
const maxEnded = 10_000;

/** An identity provider for development: known users, no passwords, sessions of 24 hours in signed tokens. */
export class DevIdentity implements IdentityProvider, Component {
  readonly name = "identity";
  readonly sessionCookieName: string;
  readonly #users: ReadonlyMap<string, DevUser>;
  readonly #secret: Uint8Array;
  readonly #clock: Clock;
  /** Tokens of sessions that ended before their time. */
  readonly #ended = new Set<string>();

  /** Throws an Error outside the environment `dev`, and a RangeError for a short secret. */
  constructor(options: DevIdentityOptions) {
    if (options.environment !== "dev") {
      throw new Error(
        "the development identity provider signs in every caller as any user: it runs only in the environment dev",
      );
    }
    if (options.secret.byteLength < 32) throw new RangeError("the session secret must have at least 32 bytes");
    this.sessionCookieName = options.sessionCookieName ?? "identity_session";
    this.#users = new Map((options.users ?? devUsers).map((user) => [user.id, user]));
    this.#secret = options.secret;
    this.#clock = options.clock;
  }

  async whoami(credential: SessionCredential): Promise<Session> {
    const claims = openSession(credential.value, this.#secret);
    const user = claims && this.#users.get(claims.userId);
    if (!claims || !user || this.#ended.has(credential.value))
      throw new AppError("AUTHENTICATION_FAILED", "the session is not valid");
    if (claims.expiresAt <= this.#clock.now()) throw new AppError("AUTHENTICATION_FAILED", "the session has expired");
    const { id, displayName, email } = user;
    return { userId: id, displayName, email, expiresAt: new Date(claims.expiresAt) };
  }

  async find(query: PeopleQuery): Promise<readonly Person[]> {
    const people = [...this.#users.values()].map(({ id, displayName, email }) => ({ userId: id, displayName, email }));
    if ("ids" in query) return people.filter(({ userId }) => query.ids.includes(userId));
    const text = query.search.toLowerCase();
    const matches = ({ userId, displayName, email = "" }: Person) =>
      [userId, displayName, email].some((each) => each.toLowerCase().includes(text));
    return people.filter(matches).slice(0, query.limit);
  }

  async ping(): Promise<void> {}

  /** Starts a session. Throws AppError INVALID_REQUEST for an unknown user, naming the known ones. */
  login(userId: string): Login {
    if (!this.#users.has(userId)) {
      const known = [...this.#users.keys()];
      throw new AppError("INVALID_REQUEST", `there is no development user "${userId}"; known: ${known.join(", ")}`, {
        details: { users: known },
      });
    }
    const token = signSession({ userId, expiresAt: this.#clock.now() + sessionLifetimeMs }, this.#secret);
    const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${sessionLifetimeMs / 1000}`;
    return { token, cookie: `${this.sessionCookieName}=${token}; ${attributes}` };
  }

  /** Ends a session, until a restart of the platform. Another token changes nothing. */
  end(token: string): void {
    if (!openSession(token, this.#secret)) return;
    this.#ended.add(token);
    const [oldest] = this.#ended;
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
  }

  /**
   * Returns a page with one button per user; each posts `user=<id>` and `return_to` as a form to `/dev/login`. No scripts and no
   * other requests.
   */
  loginPage(returnTo: string): string {
    return renderLoginPage([...this.#users.values()], returnTo);
  }
}
