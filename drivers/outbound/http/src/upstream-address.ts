import { BlockList, isIP } from "node:net";
import { privateNetworks, reservedNetworks } from "@appserver/kernel";
import type { AddressRules } from "@appserver/kernel/ports";

/**
 * IPv4: all addresses are public except those that the IANA registry of special-purpose addresses (RFC 6890) and two clouds
 * reserve.
 */
const ipv4Exceptions = [
  "100.100.100.200/32", // Metadata of Alibaba Cloud, within shared address space.
  "192.0.0.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.175.48.0/24",
  "224.0.0.0/4",
];
/** IPv6: only global unicast is public, except reserved ranges and ranges that lead elsewhere. */
const ipv6Global = ["2000::/3"];
const ipv6Exceptions = [
  "2001::/23", // Protocol assignments: Teredo, benchmarking, ORCHID.
  "2620:4f:8000::/48",
  // Metadata services of clouds, within unique local addresses.
  "fd00:42::42/128",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
];
const loopback = ["127.0.0.0/8", "::1/128"];
/** Allowed only if `upstream.allow` names them. */
const privateRanges = [
  ...privateNetworks,
  // Reserved for documentation. Some laboratories use them.
  "192.0.2.0/24",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "2001:db8::/32",
  "3fff::/20",
];

/** Decides whether a resolved address may be an unmanaged upstream (docs/interface/proxy.md#upstream-addresses). */
export class AddressPolicy {
  readonly #forbidden: BlockList;
  readonly #global = rangesOf(ipv6Global);
  readonly #private = rangesOf(privateRanges);
  readonly #loopback = rangesOf(loopback);
  readonly #allowed: BlockList;
  readonly #allowsLoopback: boolean;

  /** Throws RangeError for an invalid range. */
  constructor(rules: AddressRules) {
    this.#forbidden = rangesOf([...reservedNetworks, ...ipv4Exceptions, ...ipv6Exceptions, ...rules.deny]);
    this.#allowed = rangesOf(rules.allow);
    this.#allowsLoopback = rules.allowLoopback;
  }

  /** Returns false for a text that is not an address. */
  allows(address: string): boolean {
    const plain = plainAddress(address);
    if (plain === undefined) return false;
    const family = isIP(plain) === 4 ? "ipv4" : "ipv6";
    if (this.#forbidden.check(plain, family)) return false;
    if (this.#loopback.check(plain, family)) return this.#allowsLoopback;
    if (this.#private.check(plain, family)) return this.#allowed.check(plain, family);
    return family === "ipv4" || this.#global.check(plain, family);
  }
}

/** IPv4-mapped, IPv4-translated, IPv4-compatible, and NAT64 of the well-known prefix (RFC 4291, 2765, 6052). */
const embedding = /^(?:::ffff:|::ffff:0:|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Returns the address in one spelling. An IPv6 address that contains an IPv4 address becomes that IPv4 address, because the
 * connection goes there. Undefined for a text that is not an address, and for a link-local address with a zone
 * (`fe80::1%eth0`).
 */
export function plainAddress(address: string): string | undefined {
  const version = isIP(address);
  if (version === 0 || address.includes("%")) return undefined;
  if (version === 4) return address;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const match = embedding.exec(canonical);
  if (!match) return canonical;
  const [high, low] = [Number.parseInt(match[1] ?? "", 16), Number.parseInt(match[2] ?? "", 16)];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const version = isIP(address);
    const width = version === 4 ? 32 : 128;
    const prefix = bits === undefined ? width : Number(bits);
    if (version === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > width) {
      throw new RangeError(`"${range}" is not an address range: expected CIDR, as in 10.1.0.0/16`);
    }
    list.addSubnet(address, prefix, version === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
