import { BlockList, isIP, isIPv4 } from "node:net";

/** Tells the client's address where proxies stand before the server (design/security "limiter evasion"). */
export class RemoteAddress {
  readonly #trusted = new BlockList();
  readonly #any: boolean;

  /** `trustedProxies`: addresses or CIDR networks whose `X-Forwarded-For` is believed. */
  constructor(trustedProxies: readonly string[]) {
    this.#any = trustedProxies.length > 0;
    for (const entry of trustedProxies) {
      const [address = "", prefix] = entry.split("/");
      if (isIP(address) === 0) throw new Error(`trusted proxy "${entry}" is not an address or a CIDR network`);
      const family = isIPv4(address) ? "ipv4" : "ipv6";
      if (prefix === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(prefix), family);
    }
  }

  /** The peer; behind trusted proxies, the nearest address that none of them is. */
  of(peer: string | undefined, forwardedFor: string | string[] | undefined): string {
    let address = plain(peer ?? "");
    if (!this.#any || forwardedFor === undefined) return address;
    const hops = String(forwardedFor).split(",");
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

/** IPv4 in IPv6 notation is the same client. */
function plain(address: string): string {
  return address.startsWith("::ffff:") && isIPv4(address.slice(7)) ? address.slice(7) : address;
}
