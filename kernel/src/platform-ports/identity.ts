import type { MaybePromise } from "../maybe-promise.ts";

/** A verified session and its user. */
export interface Session {
  /** The user's id, without a type prefix. */
  readonly userId: string;
  readonly displayName: string;
  /** The e-mail address. Undefined if the provider has none; it may not be proven. */
  readonly email?: string | undefined;
  readonly expiresAt?: Date;
}

/** A session credential from the request. */
export type SessionCredential =
  | { readonly kind: "cookie"; readonly value: string }
  | { readonly kind: "bearer"; readonly value: string };

/** A user, as other users see it. */
export interface Person {
  /** The user's id, without a type prefix. */
  readonly userId: string;
  readonly displayName: string;
  /** The e-mail address. Undefined if the provider has none; it may not be proven. */
  readonly email?: string | undefined;
  /** False if the user cannot sign in: the account is disabled, or was never completed. */
  readonly isActive?: boolean;
}

/** These users, in any order and without those that do not exist; or those whose sign-in address or id matches a text. An empty text matches everyone. */
export type PeopleQuery = { readonly ids: readonly string[] } | { readonly search: string; readonly limit: number };

/**
 * The identity provider's public API, called on every request (docs/interface/permissions.md#sessions).
 *
 * Throws AppError: AUTHENTICATION_FAILED for an invalid or expired session, PERMISSION_DENIED with details for one that
 * needs a second factor, SERVICE_UNAVAILABLE if the provider cannot be reached. It never returns an anonymous caller.
 */
export interface IdentityProvider {
  /** Name of the cookie that carries a session. */
  readonly sessionCookieName: string;
  whoami(credential: SessionCredential): MaybePromise<Session>;
  /**
   * Calls the listener when sessions may have ended, in any process: those of a user, or of users that are not known. Absent if the
   * provider does not say so; then a session that was ended elsewhere is noticed at its next check.
   */
  onSessionsEnded?(listener: (userId: string | undefined) => void): void;
  /** Throws SERVICE_UNAVAILABLE if the provider cannot be reached, or cannot be searched. */
  find(query: PeopleQuery): Promise<readonly Person[]>;
  ping(timeoutMs?: number): Promise<void>;
}
