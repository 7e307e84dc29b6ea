import { type RequestHead, sourceOrigin } from "@appserver/kernel";
import { hostOf } from "./origins.ts";
import type { Client } from "./trusted-proxies.ts";

/** Returns the origins at which browsers reach the platform, as far as a content policy can name them. */
export function sourceOrigins(request: RequestHead, client: Client, publicOrigin: string | undefined): readonly string[] {
  const { protocol, host } = clientOrigin(request, client);
  const origins = [sourceOrigin(protocol, host), publicOrigin].filter((each) => each !== undefined);
  return [...new Set(origins)];
}

/** Returns protocol and host that the client used, behind trusted proxies as they report them. */
export function clientOrigin(
  request: RequestHead,
  { protocol, host }: Pick<Client, "protocol" | "host">,
): { readonly protocol: "http" | "https"; readonly host: string } {
  return { protocol: protocol ?? (request.isEncrypted ? "https" : "http"), host: host ?? hostOf(request) ?? "" };
}
