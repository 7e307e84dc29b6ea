import type { Upstream, UpstreamFailure, UpstreamReceiver, UpstreamRequest } from "@appserver/kernel/ports";
import type { PooledUpstream } from "./pooled-upstream.ts";

/** How long after a connection failed or was tried an address is tried again. */
const againMs = 5_000;
/** An address that sent nothing at so many looks in a row is silent. A look is each half second. */
const silentLooks = 4;

interface Place {
  readonly address: string;
  readonly pool: PooledUpstream;
  /** Why it is out: it gets no requests. */
  failure: UpstreamFailure | undefined;
  /** Whether a connection is being tried. */
  isTried: boolean;
  /** When a connection was tried or failed. Monotonic. */
  triedAt: number;
  silentLooks: number;
}

/**
 * The instances of one backend. A request goes to the less busy of two that are chosen at random. While all are out, it goes to the
 * backend's own address: the engine may know other instances.
 */
export class SpreadUpstream implements Upstream {
  readonly #whole: PooledUpstream;
  readonly #open: (address: string) => PooledUpstream;
  readonly #onRun: (upstream: SpreadUpstream) => void;
  /** At least one. */
  #places: readonly Place[] = [];
  /** With requests that run at addresses which are no longer followed. */
  readonly #leaving = new Set<PooledUpstream>();

  /**
   * `whole`: the connections to the backend's own address. `open` returns those to one instance. `onRun` is called at each request:
   * {@link sweep} must be called a while later.
   */
  constructor(
    whole: PooledUpstream,
    addresses: readonly string[],
    open: (address: string) => PooledUpstream,
    onRun: (upstream: SpreadUpstream) => void,
  ) {
    this.#whole = whole;
    this.#open = open;
    this.#onRun = onRun;
    this.follow(addresses);
  }

  get host(): string {
    return this.#whole.host;
  }

  target(path: string): string {
    return this.#whole.target(path);
  }

  follow(addresses: readonly string[]): void {
    if (addresses.length === 0) throw new RangeError("an upstream needs an address");
    const known = new Map(this.#places.map((place) => [place.address, place]));
    this.#places = addresses.map((address) => known.get(address) ?? this.#place(address));
    const followed = new Set(addresses);
    for (const { address, pool } of known.values()) if (!followed.has(address)) this.#leave(pool);
  }

  send(request: UpstreamRequest, receiver: UpstreamReceiver): void {
    this.#onRun(this);
    this.#send(request, receiver, 2);
  }

  /** Tries so many instances, then the backend's own address. */
  #send(request: UpstreamRequest, receiver: UpstreamReceiver, attempts: number): void {
    const place = attempts > 0 ? this.#choose() : undefined;
    if (!place) {
      this.#whole.send(request, receiver);
      return;
    }
    place.pool.send(request, receiver, (failure) => {
      takeOut(place, failure);
      this.#send(request, receiver, attempts - 1);
    });
  }

  /**
   * Tries to connect to addresses that are out, and to those that send nothing while requests run: a machine that is lost closes no
   * connection. Returns whether requests run.
   */
  sweep(now: number): boolean {
    for (const place of this.#places) {
      place.silentLooks = place.pool.isSilent() ? place.silentLooks + 1 : 0;
      const { failure, isTried, triedAt } = place;
      const isSilent = place.silentLooks >= silentLooks;
      if ((failure || isSilent) && !isTried && triedAt + againMs <= now) void this.#try(place);
      // An instance that ends refuses connections, and completes its requests.
      if (failure && isSilent && !isRefusal(failure)) place.pool.giveUp(failure);
    }
    return this.#places.some(({ pool }) => pool.busy > 0);
  }

  async close(graceMs?: number): Promise<void> {
    const pools = [this.#whole, ...this.#places.map(({ pool }) => pool), ...this.#leaving];
    await Promise.all(pools.map((pool) => pool.close(graceMs)));
  }

  #place(address: string): Place {
    return {
      address,
      pool: this.#open(address),
      failure: undefined,
      isTried: false,
      triedAt: Number.NEGATIVE_INFINITY,
      silentLooks: 0,
    };
  }

  async #try(place: Place): Promise<void> {
    place.isTried = true;
    const failure = await place.pool.reach();
    place.isTried = false;
    place.triedAt = performance.now();
    if (!failure) place.failure = undefined;
    else if (failure.kind === "unreachable") takeOut(place, failure);
  }

  #leave(pool: PooledUpstream): void {
    this.#leaving.add(pool);
    void pool.close().then(() => this.#leaving.delete(pool));
  }

  /** Returns undefined if all are out. */
  #choose(): Place | undefined {
    const usable = this.#places.filter(({ failure }) => !failure);
    const at = Math.floor(Math.random() * usable.length);
    const one = usable[at];
    if (!one || usable.length < 2) return one;
    const another = usable[(at + 1 + Math.floor(Math.random() * (usable.length - 1))) % usable.length] as Place;
    return another.pool.busy < one.pool.busy ? another : one;
  }
}

function takeOut(place: Place, failure: UpstreamFailure): void {
  place.failure = failure;
  place.triedAt = performance.now();
  // They lead to a machine that does not respond, or to an instance that has ended.
  place.pool.sweep(Number.POSITIVE_INFINITY);
}

function isRefusal({ cause }: UpstreamFailure): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}
