import type { Upstream, UpstreamTarget } from "@appserver/kernel/ports";
import type { OpenSocket } from "./open-socket.ts";
import { PooledUpstream } from "./pooled-upstream.ts";
import { SpreadUpstream } from "./spread-upstream.ts";
import type { UpstreamConnections } from "./upstream-connections.ts";

/** How often idle connections and silent instances are looked at. Shorter than the margin before the backend closes them. */
const sweepMs = 500;

/** Looks at what it has. Returns whether it must look again. `now` is monotonic. */
interface Swept {
  sweep(now: number): boolean;
}

/** Opens upstreams that speak HTTP/1.1 on connections of their own. The resolved address is checked at every connect. */
export class Http1Upstreams {
  readonly #connections: UpstreamConnections;
  readonly #swept = new Set<Swept>();
  #timer: NodeJS.Timeout | undefined;

  constructor(connections: UpstreamConnections) {
    this.#connections = connections;
  }

  /** Throws RangeError if the URL is not one of an upstream. */
  open(target: UpstreamTarget): Upstream {
    const url = URL.canParse(target.url) ? new URL(target.url) : undefined;
    if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.password !== "") {
      throw new RangeError(`"${target.url}" is not an upstream: expected an http or https URL without user info`);
    }
    const { managed, addresses } = target;
    const whole = this.#pool(url, this.#connections.opener(url, managed));
    if (!managed || addresses === undefined) return whole;
    return new SpreadUpstream(
      whole,
      addresses,
      (address) => this.#pool(url, this.#connections.instanceOpener(address)),
      (upstream) => this.#watch(upstream),
    );
  }

  #pool(url: URL, open: OpenSocket): PooledUpstream {
    return new PooledUpstream(url, open, (upstream) => this.#watch(upstream));
  }

  #watch(upstream: Swept): void {
    this.#swept.add(upstream);
    this.#timer ??= setInterval(() => this.#sweep(), sweepMs).unref();
  }

  #sweep(): void {
    const now = performance.now();
    for (const upstream of this.#swept) if (!upstream.sweep(now)) this.#swept.delete(upstream);
    if (this.#swept.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
