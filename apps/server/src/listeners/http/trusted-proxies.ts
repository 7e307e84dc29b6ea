import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv4 } from "node:net";

/** Data of the client behind the proxies. */
export interface Client {
  readonly remoteAddress: string;
  readonly protocol?: "http" | "https";
  readonly host?: string;
}

const validHost = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** Headers that proxies add. A proxy that adds none cannot be distinguished from a client. */
const proxyHeaders = ["x-forwarded-for", "forwarded", "x-real-ip", "via"];

/** Finds the client's address behind trusted proxies (docs/interface/operations.md#trusted-proxies). */
export class TrustedProxies {
  readonly #trusted = new BlockList();
  readonly #any: boolean;

  /** `entries`: addresses or CIDR networks. Throws for an invalid entry. */
  constructor(entries: readonly string[]) {
    this.#any = entries.length > 0;
    for (const entry of entries) {
      const [address = "", prefix] = entry.split("/");
      if (isIP(address) === 0) throw new Error(`trusted proxy "${entry}" is not an address or a CIDR network`);
      const family = isIPv4(address) ? "ipv4" : "ipv6";
      if (prefix === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(prefix), family);
    }
  }

  /**
   * Returns the peer's address. Behind trusted proxies, returns the nearest address that is not a trusted proxy, with the
   * protocol and host that the nearest proxy reports. Ignores forwarding headers of other peers.
   */
  clientOf({ socket, headers }: IncomingMessage): Client {
    const peer = plain(socket.remoteAddress ?? "");
    if (!this.#any || !this.#isTrusted(peer)) return { remoteAddress: peer };
    const protocol = last(headers["x-forwarded-proto"])?.toLowerCase();
    const host = last(headers["x-forwarded-host"]);
    return {
      remoteAddress: this.#nearestClient(peer, headers["x-forwarded-for"]),
      ...((protocol === "http" || protocol === "https") && { protocol }),
      ...(host !== undefined && validHost.test(host) && { host }),
    };
  }

  /** Returns false if an untrusted proxy forwarded the request: then the peer's address is not the client's. */
  isAddressKnown({ socket, headers }: IncomingMessage): boolean {
    if (this.isTrustedPeer({ socket })) return true;
    return !proxyHeaders.some((name) => headers[name] !== undefined);
  }

  /** Returns whether a trusted proxy sent the request. */
  isTrustedPeer({ socket }: Pick<IncomingMessage, "socket">): boolean {
    return this.#any && this.#isTrusted(plain(socket.remoteAddress ?? ""));
  }

  #nearestClient(peer: string, forwardedFor: string | string[] | undefined): string {
    let address = peer;
    const hops = forwardedFor === undefined ? [] : String(forwardedFor).split(",");
    for (let hop = hops.pop(); hop !== undefined && this.#isTrusted(address); hop = hops.pop()) {
      const candidate = plain(hop.trim());
      if (isIP(candidate) === 0) break;
      address = candidate;
    }
    return address;
  }

  #isTrusted(address: string): boolean {
    return isIP(address) !== 0 && this.#trusted.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  }
}

/** Converts IPv4 in IPv6 notation to IPv4: it is the same client. */
function plain(address: string): string {
  return address.startsWith("::ffff:") && isIPv4(address.slice(7)) ? address.slice(7) : address;
}

/** Returns the last entry. Each proxy adds its entry at the end, so the last one comes from the nearest proxy. */
function last(header: string | string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header).split(",").pop()?.trim();
}
