import type { IncomingMessage } from "node:http";
import { devicePaths } from "@appserver/contracts/command-line";
import { AppError } from "@appserver/kernel";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Route, sendPage } from "../route.ts";
import { type FindSession, redirectToSignIn, refuseScripts, requirePerson, type SignedIn, signedIn } from "../signed-in.ts";
import type { DeviceLogins } from "./device-logins.ts";
import { codePage, decidedPage, requestPage } from "./device-pages.ts";

/** Returns the route of the page on which a user types the code of a terminal, and gives it their session or not. */
export function devicePageRoute(sessions: () => FindSession, logins: () => DeviceLogins): Route {
  return {
    url: devicePaths.page,
    methods: {
      GET: async (request, reply) => {
        // The page has a ticket, with which a script could allow what it has requested itself.
        refuseScripts(request.raw);
        const session = await signedIn(sessions(), request.raw);
        if (typeof session === "string") return redirectToSignIn(reply, request.url, session);
        return await showPage(logins(), request, reply, session);
      },
      POST: async (request, reply) => {
        refuseScripts(request.raw);
        return await decide(logins(), request, reply, await requirePerson(sessions(), request.raw));
      },
    },
  };
}

async function showPage(
  logins: DeviceLogins,
  request: FastifyRequest,
  reply: FastifyReply,
  { caller }: SignedIn,
): Promise<FastifyReply> {
  const { user_code: given } = request.query as { readonly user_code?: unknown };
  const typed = typeof given === "string" ? given.trim() : "";
  if (typed === "" || isLinked(request.raw)) return sendOwnPage(reply, codePage({ typed }));
  const found = await logins.find(caller.id, typed);
  if (!found) return sendOwnPage(reply.code(400), codePage({ typed, isWrong: true }));
  return sendOwnPage(reply, requestPage(found, caller.displayName));
}

async function decide(
  logins: DeviceLogins,
  { body }: FastifyRequest,
  reply: FastifyReply,
  { caller, token }: SignedIn,
): Promise<FastifyReply> {
  const form = body instanceof URLSearchParams ? body : new URLSearchParams();
  const [userCode, ticket, decision] = [form.get("user_code"), form.get("ticket"), form.get("decision")];
  if (userCode === null || ticket === null || (decision !== "allow" && decision !== "deny"))
    throw new AppError("INVALID_REQUEST", "use the form of the page");
  const isAllowed = decision === "allow";
  const request = await logins.decide(caller.id, { userCode, ticket, token: isAllowed ? token : undefined });
  if (!request) return sendOwnPage(reply.code(400), codePage({ typed: "", isWrong: true }));
  return sendOwnPage(reply, decidedPage(request, isAllowed));
}

/** A page of another site must not use up the tries of a user: the user continues on the form. */
function isLinked({ headers }: IncomingMessage): boolean {
  return headers["sec-fetch-site"] === "cross-site";
}

/** Sends a page that no script of the platform's origin can read through the window in which it has opened the page. */
function sendOwnPage(reply: FastifyReply, html: string): FastifyReply {
  return sendPage(reply.header("cross-origin-opener-policy", "noopener-allow-popups"), html);
}
