import { hash } from "node:crypto";
import {
  type Caller,
  type Clock,
  isAppError,
  isPromise,
  type MaybePromise,
  type ReasonId,
  Rejection,
  SingleFlight,
} from "@appserver/kernel";
import { LRUCache } from "lru-cache";
import type { IdentityProvider, Session, SessionCredential } from "../../ports.ts";

const cachedSessions = 100_000;

interface CachedSession {
  readonly caller: Caller;
  /** Monotonic milliseconds. Not later than the end of the session. */
  readonly freshUntil: number;
}

interface Asked {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly epoch: number;
}

export interface SessionsDeps {
  readonly identity: IdentityProvider;
  readonly clock: Clock;
  /** How long a result is reused, in milliseconds; 0: never. */
  readonly cacheTtlMs: number;
}

/** A session credential, and its keys in the tables of {@link Sessions}. */
export class PresentedSession {
  readonly kind: SessionCredential["kind"];
  readonly value: string;
  readonly key: string;
  #digest: string | undefined;

  constructor({ kind, value }: SessionCredential) {
    this.kind = kind;
    this.value = value;
    this.key = `${kind}:${value}`;
  }

  /** A heap dump of the cache contains no usable session. */
  get digest(): string {
    this.#digest ??= hash("sha256", this.key, "base64url");
    return this.#digest;
  }
}

/** Converts session credentials to callers. Concurrent checks of one credential share one lookup. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #flights = new SingleFlight<string, Caller>();
  /** With `max` it would reserve memory for all entries at once. */
  /** Changes whenever sessions have ended: what was asked before is not kept. */
  #epoch = 0;
  readonly #cache = new LRUCache<string, CachedSession>({ maxSize: cachedSessions, sizeCalculation: () => 1 });

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** Rejects as `IdentityProvider.whoami`. Any other failure is SERVICE_UNAVAILABLE. */
  identify(session: PresentedSession): MaybePromise<Caller> {
    const known = this.#cached(session) ?? this.#flights.underWay(session.key);
    if (known !== undefined) return known;
    const asked = this.#ask(session);
    return isPromise(asked) ? this.#flights.run(session.key, () => asked) : asked;
  }

  /** Asks the provider at the next use, in place of what is cached. */
  forget(session: PresentedSession): void {
    this.#cache.delete(session.digest);
    this.#flights.forget(session.key);
  }

  /** Asks the provider at the next use of every session. */
  forgetAll(): void {
    this.#epoch += 1;
    this.#cache.clear();
    this.#flights.forget();
  }

  #cached(session: PresentedSession): Caller | undefined {
    if (this.#deps.cacheTtlMs <= 0) return undefined;
    const entry = this.#cache.get(session.digest);
    return entry && entry.freshUntil > this.#deps.clock.monotonic() ? entry.caller : undefined;
  }

  #ask(presented: PresentedSession): MaybePromise<Caller> {
    const asked = { at: this.#deps.clock.monotonic(), epoch: this.#epoch };
    try {
      const session = this.#deps.identity.whoami(presented);
      if (!isPromise(session)) return this.#accept(presented, session, asked);
      return session.then(
        (known) => this.#accept(presented, known, asked),
        (error: unknown) => {
          throw rejectionOf(error);
        },
      );
    } catch (error) {
      throw rejectionOf(error);
    }
  }

  #accept(presented: PresentedSession, session: Session, asked: Asked): Caller {
    const { userId: id, displayName, email } = session;
    const caller: Caller = { kind: "user", id, displayName, ...(email !== undefined && { email }) };
    const { cacheTtlMs, clock } = this.#deps;
    if (cacheTtlMs <= 0 || asked.epoch !== this.#epoch) return caller;
    const leftMs = (session.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - clock.now();
    const freshUntil = Math.min(asked.at + cacheTtlMs, clock.monotonic() + leftMs);
    this.#cache.set(presented.digest, { caller, freshUntil });
    return caller;
  }
}

const reasons: Readonly<Record<string, ReasonId>> = {
  AUTHENTICATION_FAILED: "session_invalid",
  PERMISSION_DENIED: "second_factor_required",
};

function rejectionOf(error: unknown): Rejection {
  const reason = isAppError(error) ? reasons[error.code] : undefined;
  if (isAppError(error) && reason !== undefined) {
    return new Rejection(error.code, reason, error.message, { details: error.details, cause: error });
  }
  return new Rejection("SERVICE_UNAVAILABLE", "identity_unavailable", "Sessions cannot be checked at the moment.", {
    cause: error,
  });
}
