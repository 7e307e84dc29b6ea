import { BlockList, isIP, isIPv4 } from "node:net";

/** A list of addresses and networks. */
export class AddressList {
  readonly #list = new BlockList();

  /** `entries`: addresses or CIDR networks. Throws for an invalid entry. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = "", prefix] = entry.split("/");
      if (isIP(address) === 0) throw new Error(`"${entry}" is not an address or a CIDR network`);
      if (prefix === undefined) this.#list.addAddress(address, familyOf(address));
      else this.#list.addSubnet(address, Number(prefix), familyOf(address));
    }
  }

  /** Returns whether the list contains this text. A text that is not an address is in no list. */
  has(text: string): boolean {
    const address = plainAddress(text);
    return isIP(address) !== 0 && this.#list.check(address, familyOf(address));
  }
}

/** Converts IPv4 in IPv6 notation to IPv4: it is the same client. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && isIPv4(address.slice(7)) ? address.slice(7) : address;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv4(address) ? "ipv4" : "ipv6";
}
