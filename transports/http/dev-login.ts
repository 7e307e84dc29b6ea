import { AppError, returnPath } from "@appserver/kernel";
import type { DevLogin } from "@appserver/kernel/ports";
import type { FastifyReply, FastifyRequest } from "fastify";
import { HttpStatusError } from "./error-response.ts";

import { type Route, sendPage } from "./route.ts";

const loginPath = "/dev/login";

/** Returns the routes of the login: `GET` shows the page, `POST` accepts JSON or the form. */
export function devLoginRoutes(devLogin: DevLogin): readonly Route[] {
  return [
    {
      url: loginPath,
      methods: {
        GET: ({ query }, reply) => {
          const { return_to: back } = query as { readonly return_to?: unknown };
          return sendPage(reply, devLogin.loginPage(returnPath(back)));
        },
        POST: (request, reply) => login(devLogin, request, reply),
      },
    },
  ];
}

async function login(devLogin: DevLogin, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
  const user = readUser(request.body);
  const { token, cookie } = await devLogin.login(user);
  reply.header("set-cookie", `${cookie}=${encodeURIComponent(token)}; HttpOnly; SameSite=Lax; Path=/`);
  reply.header("cache-control", "no-store");
  const back = request.body instanceof URLSearchParams ? request.body.get("return_to") : undefined;
  return isForm ? reply.redirect(returnPath(back), 303) : reply.send({ user, cookie, token });
}

function readUser(body: unknown): string {
  const user = body instanceof URLSearchParams ? body.get("user") : (body as { user?: unknown } | null | undefined)?.user;
  if (typeof user === "string" && user !== "") return user;
  throw new AppError("INVALID_REQUEST", "name the user to log in", {
    violations: [{ field: "user", message: "must be the name of a development user" }],
  });
}

/** Parses the form's body. Fastify itself parses only JSON. */
export function parseForm(body: string): URLSearchParams {
  if (body.length > 4096) throw new HttpStatusError(413, new AppError("INVALID_REQUEST", "the body is too large"));
  return new URLSearchParams(body);
}
