import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { hostOf } from "./origins.ts";
import type { Client } from "./trusted-proxies.ts";

/** Returns protocol and host that the client used, behind trusted proxies as they report them. */
export function clientOrigin(
  request: IncomingMessage,
  { protocol, host }: Pick<Client, "protocol" | "host">,
): { readonly protocol: "http" | "https"; readonly host: string } {
  const isEncrypted = (request.socket as Partial<TLSSocket>).encrypted === true;
  return { protocol: protocol ?? (isEncrypted ? "https" : "http"), host: host ?? hostOf(request) ?? "" };
}
