import { isIP, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { type Clock, type Logger, singleFlight, within } from "@appserver/kernel";
import type { Endpoint } from "@appserver/kernel/ports";
import { plainAddress } from "./upstream-address.ts";

export interface ProtectedEndpointsOptions {
  /** Called again each time that names are resolved, because ports may become known late. */
  readonly endpoints: () => readonly Endpoint[];
  readonly lookup: LookupFunction;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Resolved extends Endpoint {
  readonly addresses: ReadonlySet<string>;
  readonly isLocal: boolean;
}

interface Snapshot {
  readonly takenAt: number;
  readonly endpoints: readonly Resolved[];
  /** Of this machine. */
  readonly localAddresses: ReadonlySet<string>;
}

/** How long resolved names are used. */
const freshMs = 5_000;
const lookupTimeoutMs = 2_000;

/** Recognises connections to the platform and its dependencies, by the addresses that their names have now. */
export class ProtectedEndpoints {
  readonly #options: ProtectedEndpointsOptions;
  readonly #lastKnown = new Map<string, readonly string[]>();
  readonly #unresolved = new Set<string>();
  #snapshot: Snapshot | undefined;
  readonly #snapshots = singleFlight(() => this.#take());

  constructor(options: ProtectedEndpointsOptions) {
    this.#options = options;
  }

  /** Returns the first address at which `port` is protected, or `hostname` if an endpoint has this name. */
  async find(hostname: string, addresses: readonly string[], port: number): Promise<string | undefined> {
    const { endpoints, localAddresses } = await this.#current();
    const ofPort = endpoints.filter((endpoint) => endpoint.port === undefined || endpoint.port === port);
    if (ofPort.some(({ host }) => nameOf(host) === nameOf(hostname))) return hostname;
    return addresses.find((address) => {
      const plain = plainAddress(address) ?? address;
      const isLocal = localAddresses.has(plain) || isLoopback(plain);
      return ofPort.some((endpoint) => endpoint.addresses.has(plain) || (endpoint.isLocal && isLocal));
    });
  }

  #current(): Snapshot | Promise<Snapshot> {
    const { clock } = this.#options;
    if (this.#snapshot && clock.monotonic() - this.#snapshot.takenAt < freshMs) return this.#snapshot;
    return this.#snapshots();
  }

  async #take(): Promise<Snapshot> {
    const takenAt = this.#options.clock.monotonic();
    const localAddresses = addressesOfMachine();
    const endpoints = await Promise.all(
      this.#options.endpoints().map(async (endpoint): Promise<Resolved> => {
        const addresses = new Set((await this.#resolve(endpoint.host)).map((address) => plainAddress(address) ?? address));
        const isLocal = [...addresses].some((address) => localAddresses.has(address) || isLoopback(address));
        return { ...endpoint, addresses, isLocal };
      }),
    );
    this.#snapshot = { takenAt, endpoints, localAddresses };
    return this.#snapshot;
  }

  /** Returns the last known addresses of a name that cannot be resolved now. */
  async #resolve(host: string): Promise<readonly string[]> {
    const literal = nameOf(host);
    if (isIP(literal) !== 0) return [literal];
    try {
      const addresses = await this.#lookup(literal);
      this.#lastKnown.set(literal, addresses);
      this.#unresolved.delete(literal);
      return addresses;
    } catch (error) {
      if (!this.#unresolved.has(literal)) {
        this.#options.logger.warn({ err: error, host }, "outbound: resolving a protected host failed");
      }
      this.#unresolved.add(literal);
      return this.#lastKnown.get(literal) ?? [];
    }
  }

  async #lookup(name: string): Promise<readonly string[]> {
    const { lookup, clock } = this.#options;
    const found = new Promise<readonly string[]>((resolve, reject) => {
      lookup(name, { all: true }, (error, addresses) => {
        if (error) reject(error);
        else resolve(typeof addresses === "string" ? [addresses] : addresses.map(({ address }) => address));
      });
    });
    const error = (): Error => new Error(`no response within ${lookupTimeoutMs} ms`);
    return within(() => found, { clock, ms: lookupTimeoutMs, error });
  }
}

function addressesOfMachine(): ReadonlySet<string> {
  const addresses = new Set<string>();
  for (const list of Object.values(networkInterfaces())) {
    for (const { address } of list ?? []) addresses.add(plainAddress(address) ?? address);
  }
  return addresses;
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^127\./.test(address);
}

/** Returns the host in lower case, without the brackets of a URL and the dot of the root. */
function nameOf(host: string): string {
  return host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
}
