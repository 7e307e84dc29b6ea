import type { IncomingMessage } from "node:http";
import { type MaybePromise, returnPath } from "@appserver/kernel";
import type { ReturnAddress, SignIn } from "@appserver/kernel/ports";
import type { FastifyReply } from "fastify";
import { clientOrigin } from "./client-origin.ts";
import { NodeRequest } from "./node-request.ts";

import type { Route } from "./route.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** Called before a session ends. Returns what ends its streams afterwards; that does nothing if the request has no valid session. */
export type SessionEnd = (request: IncomingMessage) => MaybePromise<() => void>;

/** Returns the routes of the console that lead to the identity provider. */
export function signInRoutes(signIn: SignIn, proxies: TrustedProxies, sessionEnd: SessionEnd): readonly Route[] {
  const backOf = (request: IncomingMessage, given: unknown): ReturnAddress => {
    const [path, head] = [returnPath(given), new NodeRequest(request)];
    const { protocol, host } = clientOrigin(head, proxies.clientOf(head));
    return { path, url: `${protocol}://${host}${path}` };
  };
  const queryOf = (query: unknown): unknown => (query as { readonly return_to?: unknown }).return_to;
  const factorOf = (query: unknown) => ((query as { readonly aal?: unknown }).aal === "aal2" ? "second" : "first");
  const end = async (request: IncomingMessage, reply: FastifyReply): Promise<FastifyReply> => {
    const ended = await sessionEnd(request);
    const { location, cookies } = await signIn.signOut(request, backOf(request, "/"));
    ended();
    if (cookies.length > 0) reply.header("set-cookie", cookies);
    return reply.header("cache-control", "no-store").send({ location });
  };
  return [
    {
      url: "/console/sign-in",
      methods: {
        GET: ({ raw, query }, reply) =>
          reply
            .header("cache-control", "no-store")
            .redirect(signIn.loginUrl(backOf(raw, queryOf(query)), factorOf(query)), 303),
      },
    },
    {
      url: "/console/account",
      methods: {
        GET: ({ raw, query }, reply) =>
          reply
            .header("cache-control", "no-store")
            .send({ location: signIn.accountUrl?.(backOf(raw, queryOf(query))) ?? null }),
      },
    },
    { url: "/console/sign-out", methods: { POST: ({ raw }, reply) => end(raw, reply) } },
  ];
}
