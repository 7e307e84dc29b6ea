import { hash } from "node:crypto";
import {
  type Caller,
  type Clock,
  isAppError,
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
  readonly freshUntil: number;
  readonly expiresAt: number;
}

export interface SessionsDeps {
  readonly identity: IdentityProvider;
  readonly clock: Clock;
  /** How long a result is reused, in milliseconds; 0: never. */
  readonly cacheTtlMs: number;
}

/** Converts session credentials to callers. Concurrent checks of one credential share one lookup. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #flights = new SingleFlight<string, Caller>();
  /** With `max` it would reserve memory for all entries at once. */
  readonly #cache = new LRUCache<string, CachedSession>({ maxSize: cachedSessions, sizeCalculation: () => 1 });

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** Rejects as `IdentityProvider.whoami`. Any other failure is SERVICE_UNAVAILABLE. */
  identify(credential: SessionCredential): MaybePromise<Caller> {
    const key = `${credential.kind}:${credential.value}`;
    return this.#cached(key) ?? this.#flights.run(key, () => this.#ask(key, credential));
  }

  /** Asks the provider at the next use, in place of what is cached. */
  forget({ kind, value }: SessionCredential): void {
    const key = `${kind}:${value}`;
    this.#cache.delete(digestOf(key));
    this.#flights.forget(key);
  }

  #cached(key: string): Caller | undefined {
    if (this.#deps.cacheTtlMs <= 0) return undefined;
    const entry = this.#cache.get(digestOf(key));
    if (!entry || entry.freshUntil <= this.#deps.clock.monotonic() || entry.expiresAt <= this.#deps.clock.now())
      return undefined;
    return entry.caller;
  }

  #ask(key: string, credential: SessionCredential): Promise<Caller> {
    const askedAt = this.#deps.clock.monotonic();
    return this.#deps.identity.whoami(credential).then(
      (session) => this.#accept(key, session, askedAt),
      (error: unknown) => {
        throw rejectionOf(error);
      },
    );
  }

  #accept(key: string, session: Session, askedAt: number): Caller {
    const caller: Caller = { kind: "user", id: session.userId, displayName: session.displayName };
    if (this.#deps.cacheTtlMs > 0) {
      const expiresAt = session.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
      this.#cache.set(digestOf(key), { caller, freshUntil: askedAt + this.#deps.cacheTtlMs, expiresAt });
    }
    return caller;
  }
}

/** A heap dump of the cache contains no usable session. */
function digestOf(key: string): string {
  return hash("sha256", key, "base64url");
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
