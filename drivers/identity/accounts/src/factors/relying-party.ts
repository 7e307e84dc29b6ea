import { isIP } from "node:net";

/** For whom a passkey is made and used (WebAuthn, section 5.1.2). */
export interface RelyingParty {
  /** The host. */
  readonly id: string;
  readonly origin: string;
}

/** Returns undefined where browsers use no passkeys: at an IP address, or without TLS, except on `localhost`. */
export function relyingPartyOf(origin: string): RelyingParty | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { protocol, hostname } = new URL(origin);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  const isAddress = hostname.startsWith("[") || isIP(hostname) !== 0;
  return hostname === "" || isAddress || (protocol !== "https:" && !isLocal) ? undefined : { id: hostname, origin };
}
