import type { IncomingMessage } from "node:http";
import type { BrowserSession } from "@appserver/access";
import { AppError, type Caller, isAppError, type MaybePromise } from "@appserver/kernel";
import type { FastifyReply } from "fastify";

export type FindSession = (request: IncomingMessage) => MaybePromise<BrowserSession | undefined>;
/** The session of a person. */
export type SignedIn = BrowserSession & { readonly caller: Caller & { readonly kind: "user" } };
export type MissingFactor = "first factor" | "second factor";

/** Returns the session of the browser, for a page that is only read, or what its user must give first. */
export function signedIn(find: FindSession, request: IncomingMessage): Promise<SignedIn | MissingFactor> {
  return sessionOf(find, request).catch(whatIsMissing);
}

/** Returns the session of the browser. Throws AUTHENTICATION_REQUIRED without one, PERMISSION_DENIED without its second factor. */
export async function requirePerson(find: FindSession, request: IncomingMessage): Promise<SignedIn> {
  const session = await sessionOf(find, request);
  if (typeof session === "string") throw new AppError("AUTHENTICATION_REQUIRED", "sign in to the platform first");
  return session;
}

/** Leads to the login, which comes back. */
export function redirectToSignIn(reply: FastifyReply, path: string, missing: MissingFactor): FastifyReply {
  return reply.header("cache-control", "no-store").redirect(signInUrl(path, missing), 303);
}

/** Returns the address of the login, which comes back to a path. */
export function signInUrl(path: string, missing: MissingFactor): string {
  const factor = missing === "second factor" ? { aal: "aal2" } : {};
  return `/console/sign-in?${new URLSearchParams({ return_to: path, ...factor })}`;
}

/** A script of the platform's origin must not be able to read the response, only a browser to follow it. */
export function refuseScripts({ headers }: IncomingMessage): void {
  const mode = headers["sec-fetch-mode"];
  if (mode !== undefined && mode !== "navigate")
    throw new AppError("PERMISSION_DENIED", "only the page itself, in a browser, can be used here");
}

/** Returns what the user must give first if the browser has no session, or one that has ended. */
async function sessionOf(find: FindSession, request: IncomingMessage): Promise<SignedIn | "first factor"> {
  try {
    const session = await find(request);
    return session?.caller.kind === "user" ? { ...session, caller: session.caller } : "first factor";
  } catch (error) {
    if (isAppError(error, "AUTHENTICATION_FAILED")) return "first factor";
    throw error;
  }
}

/** A page that is only read is never refused as another site's: the session needs a second factor. */
function whatIsMissing(error: unknown): "second factor" {
  if (isAppError(error, "PERMISSION_DENIED")) return "second factor";
  throw error;
}
