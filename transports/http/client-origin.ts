import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { sourceOrigin } from "@appserver/kernel";
import { hostOf } from "./origins.ts";
import type { Client } from "./trusted-proxies.ts";

/** Returns the origins at which browsers reach the platform, as far as a content policy can name them. */
export function sourceOrigins(request: IncomingMessage, client: Client, publicOrigin: string | undefined): readonly string[] {
  const { protocol, host } = clientOrigin(request, client);
  const origins = [sourceOrigin(protocol, host), publicOrigin].filter((each) => each !== undefined);
  return [...new Set(origins)];
}

/** Returns protocol and host that the client used, behind trusted proxies as they report them. */
export function clientOrigin(
  request: IncomingMessage,
  { protocol, host }: Pick<Client, "protocol" | "host">,
): { readonly protocol: "http" | "https"; readonly host: string } {
  const isEncrypted = (request.socket as Partial<TLSSocket>).encrypted === true;
  return { protocol: protocol ?? (isEncrypted ? "https" : "http"), host: host ?? hostOf(request) ?? "" };
}
