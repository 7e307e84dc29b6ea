import type { IncomingMessage } from "node:http";
import type { MaybePromise } from "../maybe-promise.ts";

/** The pages of the identity provider, for browsers (docs/interface/console.md#signing-in). */
export interface SignIn {
  /** Returns the URL of the login, or of its second factor for a session, which sends the browser back afterwards. */
  loginUrl(back: ReturnAddress, factor: "first" | "second"): string;
  /** Returns the URL of the page on which users change their account. Absent if there is none. */
  accountUrl?(back: ReturnAddress): string;
  /** Ends the session. Rejects with SERVICE_UNAVAILABLE if the identity provider does not respond. */
  signOut(request: IncomingMessage, back: ReturnAddress): MaybePromise<SignedOut>;
}

export interface ReturnAddress {
  /** Path and query of this platform. */
  readonly path: string;
  /** The same with the origin that the browser uses. */
  readonly url: string;
}

export interface SignedOut {
  /** Where the browser goes next. */
  readonly location: string;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
}

/** The login of users without passwords. Only `appserver dev` has it. */
export interface DevLogin {
  /** Returns HTML with a form that posts `user` and `return_to` to the same path. Scripts do not run in it. */
  loginPage(returnTo: string): string;
  /** Starts a session. `cookie` is the cookie's name, `token` its value. Throws AUTHENTICATION_FAILED for an unknown user. */
  login(user: string): MaybePromise<{ readonly token: string; readonly cookie: string }>;
}
