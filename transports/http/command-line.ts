import type { IncomingMessage } from "node:http";
import type { BrowserSession } from "@appserver/access";
import { codeOf, commandLinePath, readSessionRequest, type SessionRequest, sealFor } from "@appserver/contracts/command-line";
import { AppError, type Caller, escapeHtml, isAppError, type MaybePromise } from "@appserver/kernel";
import type { FastifyReply, FastifyRequest } from "fastify";
import { plainPage } from "./plain-page.ts";
import { type Route, sendPage } from "./route.ts";

type FindSession = (request: IncomingMessage) => MaybePromise<BrowserSession | undefined>;
type Signed = BrowserSession & { readonly caller: Caller & { readonly kind: "user" } };

/**
 * Returns the route of the page on which a user lets `appctl` act for them. Its form leads to the local port of `appctl`, with a token
 * that only this `appctl` can decrypt (docs/interface/permissions.md#command-line).
 */
export function commandLineRoute(sessions: () => FindSession): Route {
  return {
    url: commandLinePath,
    methods: {
      GET: async (request, reply) => {
        const asked = requestOf(request);
        const session = await sessionOf(sessions(), request.raw).catch(whatIsMissing);
        if (typeof session === "string")
          return reply.header("cache-control", "no-store").redirect(signInUrl(request.url, session), 303);
        return sendPage(reply, pageOf(asked, session, request.url), localOrigin(asked));
      },
      POST: async (request, reply) => {
        const asked = requestOf(request);
        refuseScripts(request.raw);
        const session = await sessionOf(sessions(), request.raw);
        if (typeof session === "string") throw new AppError("AUTHENTICATION_REQUIRED", "sign in to the platform first");
        return sendToken(reply, asked, session);
      },
    },
  };
}

function requestOf({ query }: FastifyRequest): SessionRequest {
  const asked = readSessionRequest(query as Readonly<Record<string, unknown>>);
  if (!asked) throw new AppError("INVALID_REQUEST", "this address is not complete: run `appctl login` again");
  return asked;
}

/** Returns what the user must give first if the browser has no session, or one that has ended. */
async function sessionOf(find: FindSession, request: IncomingMessage): Promise<Signed | "first factor"> {
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

/** A script of the platform's origin must not be able to read the response, only a browser to follow it. */
function refuseScripts({ headers }: IncomingMessage): void {
  const mode = headers["sec-fetch-mode"];
  if (mode !== undefined && mode !== "navigate")
    throw new AppError("PERMISSION_DENIED", "only the form of the page can be used here");
}

function sendToken(reply: FastifyReply, asked: SessionRequest, { token }: Signed): FastifyReply {
  const query = new URLSearchParams({ state: asked.state, session: sealFor(asked.key, token) });
  return reply
    .header("cache-control", "no-store")
    .header("referrer-policy", "no-referrer")
    .redirect(`${localOrigin(asked)}/?${query}`, 303);
}

/** RFC 8252 §7.3: the address and not the name `localhost`, which can be another machine. */
function localOrigin({ port }: SessionRequest): string {
  return `http://127.0.0.1:${port}`;
}

function signInUrl(path: string, missing: "first factor" | "second factor"): string {
  const factor = missing === "second factor" ? { aal: "aal2" } : {};
  return `/console/sign-in?${new URLSearchParams({ return_to: path, ...factor })}`;
}

function pageOf(asked: SessionRequest, { caller }: Signed, path: string): string {
  return plainPage({
    title: `Let appctl act as ${caller.displayName}?`,
    content: `<p>A program on this computer asks for your session. Allow it only if you have run <code>appctl login</code>, and it shows the code
  <strong>${codeOf(asked)}</strong>.</p>
  <p>It may do all that you may do here, until you sign out.</p>
  <form method="post" action="${escapeHtml(path)}">
    <button type="submit">Allow</button>
    <a href="/">Do not allow</a>
  </form>`,
  });
}
