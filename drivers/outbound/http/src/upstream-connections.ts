import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Clock, Logger } from "@appserver/kernel";
import type { AddressRules, Endpoint } from "@appserver/kernel/ports";
import { buildConnector } from "undici";
import { connectTimeoutMs, type OpenSocket, openTcp } from "./open-socket.ts";
import { ProtectedEndpoints } from "./protected-endpoints.ts";
import { AddressPolicy } from "./upstream-address.ts";

export interface UpstreamConnectionsOptions extends AddressRules {
  /** The platform and its dependencies. Connections to them are always refused. Default: none. */
  readonly endpoints?: () => readonly Endpoint[];
  /** Resolves names. Default: the system's resolver. */
  readonly lookup?: LookupFunction;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Another instance can take the request. One packet may be lost: it is sent again after a second. */
const instanceConnectTimeoutMs = 1_500;

/** The address is one that apps may not use as an upstream. */
class AddressDeniedError extends Error {
  override readonly name = "AddressDeniedError";
  readonly code = "ADDRESS_DENIED";
}

/** Restricts connections to app backends that the platform does not run. */
export class UpstreamConnections {
  readonly #policy: AddressPolicy;
  readonly #protected: ProtectedEndpoints;
  readonly #lookup: LookupFunction;

  /** Throws RangeError for an invalid address range. */
  constructor(options: UpstreamConnectionsOptions) {
    const { endpoints = () => [], lookup = systemLookup as LookupFunction, clock, logger } = options;
    this.#policy = new AddressPolicy(options);
    this.#protected = new ProtectedEndpoints({ endpoints, lookup, clock, logger });
    this.#lookup = lookup;
  }

  /** Returns whether the rules allow the address. Protected endpoints are not considered. */
  allows(address: string): boolean {
    return this.#policy.allows(address);
  }

  /**
   * Returns how connections to the origin of a URL are opened. If the platform does not run what is there, only allowed addresses
   * and ports are connected to (docs/interface/proxy.md#upstream-addresses).
   */
  opener(url: URL, managed: boolean): OpenSocket {
    if (url.protocol === "https:") {
      const connect = managed ? buildConnector({ timeout: connectTimeoutMs, allowH2: false }) : this.connector();
      return (_, callback) =>
        connect(url, (error, socket) => (socket ? callback(null, { socket, isStream: true }) : callback(error, null)));
    }
    const host = withoutBrackets(url.hostname);
    const port = Number(url.port) || 80;
    if (managed) return (onRead, callback) => openTcp({ host, port }, onRead, callback);
    const lookup = this.#checkedLookup(port);
    if (isIP(host) === 0) return (onRead, callback) => openTcp({ host, port, lookup }, onRead, callback);
    return (onRead, callback) => {
      // A literal address is never looked up.
      this.#check(host, [host], port).then(
        (denied) => (denied ? callback(denied, null) : openTcp({ host, port }, onRead, callback)),
        (failure: Error) => callback(failure, null),
      );
    };
  }

  /** Returns how connections to one instance of an app that the platform runs are opened. `address`: with a port. */
  instanceOpener(address: string): OpenSocket {
    const { hostname, port } = new URL(`http://${address}`);
    const tcp = { host: withoutBrackets(hostname), port: Number(port) || 80, timeoutMs: instanceConnectTimeoutMs };
    return (onRead, callback) => openTcp(tcp, onRead, callback);
  }

  /** Returns a connector that connects only to allowed addresses and ports (docs/interface/proxy.md#upstream-addresses). */
  connector(): buildConnector.connector {
    // One per port, because a lookup does not get the port. The connectors keep TLS sessions for later connections.
    const byPort = new Map<number, buildConnector.connector>();
    const connectorOf = (port: number): buildConnector.connector => {
      const lookup = this.#checkedLookup(port);
      const connect = byPort.get(port) ?? buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup });
      byPort.set(port, connect);
      return connect;
    };
    return (options, callback) => {
      const hostname = withoutBrackets(options.hostname);
      const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
      const connect = connectorOf(port);
      const refuse = (error: Error): void => callback(error, null);
      // A literal address is never looked up.
      if (isIP(hostname) === 0) connect(options, callback);
      else
        this.#check(hostname, [hostname], port).then(
          (denied) => (denied ? refuse(denied) : connect(options, callback)),
          refuse,
        );
    };
  }

  /** Checks the address that the connection uses. A name that was checked earlier may resolve to another address now. */
  #checkedLookup(port: number): LookupFunction {
    return (hostname, options, callback) => {
      this.#lookup(hostname, options, (error, found, family) => {
        if (error) return callback(error, found, family);
        const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
        this.#check(hostname, addresses, port).then(
          (denied) => callback(denied ?? null, found, family),
          (failure: Error) => callback(failure, found, family),
        );
      });
    };
  }

  async #check(hostname: string, addresses: readonly string[], port: number): Promise<AddressDeniedError | undefined> {
    const bad = addresses.find((address) => !this.#policy.allows(address));
    if (bad !== undefined) return new AddressDeniedError(`${bad} is not an address that upstreams may have`);
    const taken = await this.#protected.find(hostname, addresses, port);
    if (taken === undefined) return undefined;
    return new AddressDeniedError(`${taken} port ${port} belongs to the platform: no upstream may be there`);
  }
}

/** Returns a host name, or an IPv6 address as it is written outside of URLs. */
function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
