import {
  codeOf,
  commandLineDonePath,
  commandLinePath,
  readSessionRequest,
  type SessionRequest,
  sealFor,
} from "@appserver/contracts/command-line";
import { AppError, escapeHtml } from "@appserver/kernel";
import type { FastifyReply, FastifyRequest } from "fastify";
import { plainPage } from "./plain-page.ts";
import { type Route, sendPage } from "./route.ts";
import { type FindSession, redirectToSignIn, refuseScripts, requirePerson, type SignedIn, signedIn } from "./signed-in.ts";

/** The page to which `appctl` sends the browser when it has the session. */
export const commandLineDoneRoute: Route = {
  url: commandLineDonePath,
  methods: {
    GET: (_request, reply) =>
      sendPage(
        reply,
        plainPage({
          title: "appctl has your session",
          content: `<p>You can close this page and continue in the terminal. <code>appctl logout</code> ends the session.</p>
  <nav><a href="/">Go to the home page</a></nav>`,
        }),
      ),
  },
};

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
        const session = await signedIn(sessions(), request.raw);
        if (typeof session === "string") return redirectToSignIn(reply, request.url, session);
        return sendPage(reply, pageOf(asked, session, request.url), localOrigin(asked));
      },
      POST: async (request, reply) => {
        const asked = requestOf(request);
        refuseScripts(request.raw);
        return sendToken(reply, asked, await requirePerson(sessions(), request.raw));
      },
    },
  };
}

function requestOf({ query }: FastifyRequest): SessionRequest {
  const asked = readSessionRequest(query as Readonly<Record<string, unknown>>);
  if (!asked) throw new AppError("INVALID_REQUEST", "this address is not complete: run `appctl login` again");
  return asked;
}

function sendToken(reply: FastifyReply, asked: SessionRequest, { token }: SignedIn): FastifyReply {
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

function pageOf(asked: SessionRequest, { caller }: SignedIn, path: string): string {
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
