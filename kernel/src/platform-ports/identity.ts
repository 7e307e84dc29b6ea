/** A verified session and its user. */
export interface Session {
  /** The user's id, without a type prefix. */
  readonly userId: string;
  readonly displayName: string;
  readonly expiresAt?: Date;
}

/** A session credential from the request. */
export type SessionCredential =
  | { readonly kind: "cookie"; readonly value: string }
  | { readonly kind: "bearer"; readonly value: string };

/**
 * The identity provider's public API, called on every request (docs/interface/permissions.md#sessions).
 *
 * Throws AppError: AUTHENTICATION_FAILED for an invalid or expired session, PERMISSION_DENIED with details for one that
 * needs a second factor, SERVICE_UNAVAILABLE if the provider cannot be reached. It never returns an anonymous caller.
 */
export interface IdentityProvider {
  /** Name of the cookie that carries a session. */
  readonly sessionCookieName: string;
  whoami(credential: SessionCredential): Promise<Session>;
  ping(timeoutMs?: number): Promise<void>;
}
