import { BlockList, isIPv4, isIPv6, SocketAddress } from "node:net";

/**
 * Returns the canonical form of an address, so that equal addresses are equal strings. Throws an Error for an invalid address.
 */
export function canonicalAddress(text: string): string {
  if (isIPv4(text)) return text;
  if (isIPv6(text)) {
    const [address, zone] = text.split("%", 2);
    const canonical = new SocketAddress({ address: address ?? "", family: "ipv6" }).address;
    return zone === undefined ? canonical : `${canonical}%${zone}`;
  }
  throw new Error(`expected a well-formed IP address, but found: "${text}"`);
}

/** Whether the address is in `network/bits`. Addresses of the other family and those with a zone never are. */
export function isInCidr(address: string, cidr: string): boolean {
  const [network = "", bits = ""] = cidr.split("/", 2);
  const family = isIPv4(network) ? "ipv4" : "ipv6";
  const wellFormed = (isIPv4(network) || (isIPv6(network) && !network.includes("%"))) && /^(0|[1-9]\d{0,2})$/.test(bits);
  if (!wellFormed || Number(bits) > (family === "ipv4" ? 32 : 128)) {
    throw new Error(`expected network/bits, but found: "${cidr}"`);
  }
  const sameFamily = family === "ipv4" ? isIPv4(address) : isIPv6(address) && !address.includes("%");
  if (!sameFamily) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}
