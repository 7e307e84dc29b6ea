import { type DeviceAuthorization, devicePaths } from "@appserver/contracts/command-line";
import { AppError } from "@appserver/kernel";
import type { FastifyRequest } from "fastify";
import { clientOrigin } from "../client-origin.ts";
import { NodeRequest } from "../node-request.ts";
import type { Route } from "../route.ts";
import type { TrustedProxies } from "../trusted-proxies.ts";
import { type DeviceLogins, expiresInSeconds, intervalSeconds } from "./device-logins.ts";
import { shownCode } from "./user-code.ts";

/** A key and a short name, or a code. */
const bodyLimit = 2_048;
const maxNameLength = 64;

/** Returns the endpoints that `appctl` itself calls, without a session: RFC 8628 §3.1 and §3.4. */
export function deviceEndpoints(
  logins: () => DeviceLogins,
  proxies: TrustedProxies,
  publicOrigin: string | undefined,
): readonly Route[] {
  const addressOf = (request: FastifyRequest): string => proxies.clientOf(new NodeRequest(request.raw)).remoteAddress;
  const pageOf = (request: FastifyRequest): string => {
    const head = new NodeRequest(request.raw);
    const { protocol, host } = clientOrigin(head, proxies.clientOf(head));
    return `${publicOrigin ?? `${protocol}://${host}`}${devicePaths.page}`;
  };
  return [
    {
      url: devicePaths.code,
      bodyLimit,
      methods: {
        POST: async (request, reply) => {
          const [key, name] = [fieldOf(request.body, "key"), fieldOf(request.body, "device")];
          const { deviceCode, userCode } = await logins().begin({ key, device: cleanName(name) }, addressOf(request));
          const page = pageOf(request);
          const authorization: DeviceAuthorization = {
            device_code: deviceCode,
            user_code: shownCode(userCode),
            verification_uri: page,
            verification_uri_complete: `${page}?${new URLSearchParams({ user_code: shownCode(userCode) })}`,
            expires_in: expiresInSeconds,
            interval: intervalSeconds,
          };
          return reply.header("cache-control", "no-store").send(authorization);
        },
      },
    },
    {
      url: devicePaths.token,
      bodyLimit,
      methods: {
        POST: async (request, reply) => {
          const redemption = await logins().redeem(fieldOf(request.body, "device_code"), addressOf(request));
          const status = "error" in redemption ? 400 : 200;
          return reply.code(status).header("cache-control", "no-store").send(redemption);
        },
      },
    },
  ];
}

/** Reads a text of a form or of JSON. */
function fieldOf(body: unknown, name: string): string {
  const value = body instanceof URLSearchParams ? body.get(name) : (body as Readonly<Record<string, unknown>> | null)?.[name];
  if (typeof value === "string" && value !== "") return value;
  throw new AppError("INVALID_REQUEST", `\`${name}\` is missing`, {
    violations: [{ field: name, message: "must be a text" }],
  });
}

/** A stranger chooses the name: nothing in it may change the lines or the direction of writing of the page. */
function cleanName(name: string): string {
  const words = name.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  return [...words].slice(0, maxNameLength).join("") || "without a name";
}
