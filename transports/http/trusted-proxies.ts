import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { RequestHead } from "@appserver/kernel";
import { all as forwardedAddresses } from "@fastify/proxy-addr";
import { AddressList, plainAddress } from "./address-list.ts";

/** Data of the client behind the proxies. */
export interface Client {
  readonly remoteAddress: string;
  readonly protocol?: "http" | "https" | undefined;
  readonly host?: string | undefined;
}

const validHost = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** Headers that proxies add. A proxy that adds none cannot be distinguished from a client. */
const proxyHeaders = ["x-forwarded-for", "forwarded", "x-real-ip", "via"];

/** Finds the client's address behind trusted proxies (docs/interface/operations.md#trusted-proxies). */
export class TrustedProxies {
  readonly #trusted: AddressList;
  readonly #any: boolean;

  /** `entries`: addresses or CIDR networks. Throws for an invalid entry. */
  constructor(entries: readonly string[]) {
    this.#any = entries.length > 0;
    this.#trusted = new AddressList(entries);
  }

  /**
   * Returns the peer's address. Behind trusted proxies, returns the nearest address that is not a trusted proxy, with the
   * protocol and host that the nearest proxy reports. Ignores forwarding headers of other peers.
   */
  clientOf(request: RequestHead): Client {
    if (!this.isTrustedPeer(request)) return { remoteAddress: plainAddress(request.peerAddress) };
    const protocol = protocolOf(last(request.header("x-forwarded-proto")));
    const host = last(request.header("x-forwarded-host"));
    return {
      remoteAddress: this.#nearestClient(request),
      ...(protocol !== undefined && { protocol }),
      ...(host !== undefined && validHost.test(host) && { host }),
    };
  }

  /** Returns false if an untrusted proxy forwarded the request: then the peer's address is not the client's. */
  isAddressKnown(request: RequestHead): boolean {
    if (this.isTrustedPeer(request)) return true;
    return !proxyHeaders.some((name) => request.header(name) !== undefined);
  }

  /** Returns whether a trusted proxy sent the request. */
  isTrustedPeer({ peerAddress }: Pick<RequestHead, "peerAddress">): boolean {
    return this.#any && this.#trusted.has(peerAddress);
  }

  /** A proxy that reports something other than an address is itself the nearest known address. */
  #nearestClient(request: RequestHead): string {
    const parts = {
      socket: { remoteAddress: request.peerAddress },
      headers: { "x-forwarded-for": request.header("x-forwarded-for") },
    };
    const addresses = forwardedAddresses(parts as unknown as IncomingMessage, (entry) =>
      this.#trusted.has(addressOf(entry)),
    ).map(addressOf);
    return addresses.findLast((address) => isIP(address) !== 0) ?? "";
  }
}

/** Proxies differ in what they report for a WebSocket: the protocol of its handshake, or its own. */
function protocolOf(reported: string | undefined): "http" | "https" | undefined {
  switch (reported?.toLowerCase()) {
    case "http":
    case "ws":
      return "http";
    case "https":
    case "wss":
      return "https";
    default:
      return undefined;
  }
}

/** The forms that have more than the address: a port, brackets, quotes of RFC 7239, a zone. */
const longForms = [/^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/, /^\[([\da-f:.]+)(?:%[^\]]*)?\](?::\d{1,5})?$/, /^([\da-f:.]+)%.*$/];

/** Returns the address of an entry of `X-Forwarded-For`, or the entry if it has none. */
function addressOf(entry: string | undefined): string {
  const text = (entry ?? "").toLowerCase().replace(/^"(.*)"$/, "$1");
  for (const form of longForms) {
    const [, address] = form.exec(text) ?? [];
    if (address !== undefined) return plainAddress(address);
  }
  return plainAddress(text);
}

/** Returns the last entry. Each proxy adds its entry at the end, so the last one comes from the nearest proxy. */
function last(header: string | undefined): string | undefined {
  return header?.split(",").pop()?.trim();
}
