import { BlockList, isIP } from "node:net";

/** Never an unmanaged upstream: this machine, its link, cloud metadata, what is no unicast host. */
const forbidden = [
  "0.0.0.0/8",
  "169.254.0.0/16",
  "100.100.100.200/32",
  "192.0.0.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/128",
  "fe80::/10",
  "fd00:ec2::254/128",
  "ff00::/8",
  "2001::/32",
  "2002::/16",
];
const loopback = ["127.0.0.0/8", "::1/128"];
/** Only where `upstream.allow` names them. */
const privateRanges = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "198.18.0.0/15",
  "fc00::/7",
  "fec0::/10",
];

export interface AddressRules {
  /** CIDR ranges among the private ones that apps may be reached in. */
  readonly allow: readonly string[];
  /** CIDR ranges or addresses that apps may never be reached at: the platform's own dependencies. */
  readonly deny: readonly string[];
  /** For development. */
  readonly allowLoopback: boolean;
}

/** Says whether a resolved address may be an unmanaged upstream. Source: security, SSRF. */
export class AddressPolicy {
  readonly #forbidden: BlockList;
  readonly #private = rangesOf(privateRanges);
  readonly #allowed: BlockList;

  /** Throws RangeError for a range that is none. */
  constructor(rules: AddressRules) {
    this.#forbidden = rangesOf([...forbidden, ...rules.deny, ...(rules.allowLoopback ? [] : loopback)]);
    this.#allowed = rangesOf(rules.allow);
  }

  /** False for anything that is not an address. */
  allows(address: string): boolean {
    const plain = embeddedIpv4(address) ?? address;
    const version = isIP(plain);
    if (version === 0) return false;
    const family = version === 4 ? "ipv4" : "ipv6";
    if (this.#forbidden.check(plain, family)) return false;
    return !this.#private.check(plain, family) || this.#allowed.check(plain, family);
  }
}

/** The IPv4 address inside an IPv4-mapped or NAT64 one: a connection goes there. */
function embeddedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const canonical = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const match = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!match) return undefined;
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
