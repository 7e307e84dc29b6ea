import type { Upstream, UpstreamReceiver, UpstreamRequest } from "@appserver/kernel/ports";
import type { PooledUpstream } from "./pooled-upstream.ts";

/** How long an address gets no requests after a connection to it failed, unless all addresses failed. */
const outMs = 5_000;

interface Place {
  readonly address: string;
  readonly pool: PooledUpstream;
  /** Monotonic. */
  outUntil: number;
}

/** The instances of one backend. A request goes to the less busy of two that are chosen at random. */
export class SpreadUpstream implements Upstream {
  readonly #open: (address: string) => PooledUpstream;
  /** At least one. */
  #places: readonly Place[] = [];
  /** With requests that run at addresses which are no longer followed. */
  readonly #leaving = new Set<PooledUpstream>();

  /** `open` returns the connections to one address. */
  constructor(addresses: readonly string[], open: (address: string) => PooledUpstream) {
    this.#open = open;
    this.follow(addresses);
  }

  get host(): string {
    return this.#first.pool.host;
  }

  target(path: string): string {
    return this.#first.pool.target(path);
  }

  follow(addresses: readonly string[]): void {
    if (addresses.length === 0) throw new RangeError("an upstream needs an address");
    const known = new Map(this.#places.map((place) => [place.address, place]));
    this.#places = addresses.map((address) => known.get(address) ?? { address, pool: this.#open(address), outUntil: 0 });
    const followed = new Set(addresses);
    for (const { address, pool } of known.values()) if (!followed.has(address)) this.#leave(pool);
  }

  send(request: UpstreamRequest, receiver: UpstreamReceiver): void {
    const place = this.#choose();
    place.pool.send(request, receiver, (failure) => {
      takeOut(place);
      const other = this.#choose(place);
      if (other === place) receiver.onError(failure);
      else
        other.pool.send(request, receiver, (second) => {
          takeOut(other);
          receiver.onError(second);
        });
    });
  }

  async close(graceMs?: number): Promise<void> {
    const pools = [...this.#places.map(({ pool }) => pool), ...this.#leaving];
    await Promise.all(pools.map((pool) => pool.close(graceMs)));
  }

  get #first(): Place {
    return this.#places[0] as Place;
  }

  #leave(pool: PooledUpstream): void {
    this.#leaving.add(pool);
    void pool.close().then(() => this.#leaving.delete(pool));
  }

  /** Never returns `but` if there is another one, which may have been followed after `but`. */
  #choose(but?: Place): Place {
    const now = performance.now();
    const others = this.#places.filter((place) => place !== but);
    const usable = others.filter(({ outUntil }) => outUntil <= now);
    const among = usable.length > 0 ? usable : others;
    const at = Math.floor(Math.random() * among.length);
    const one = among[at] ?? but ?? this.#first;
    if (among.length < 2) return one;
    const another = among[(at + 1 + Math.floor(Math.random() * (among.length - 1))) % among.length] as Place;
    return another.pool.busy < one.pool.busy ? another : one;
  }
}

function takeOut(place: Place): void {
  place.outUntil = performance.now() + outMs;
  // They lead to a machine that does not respond, or to an instance that has ended.
  place.pool.closeUnused(Number.POSITIVE_INFINITY);
}
