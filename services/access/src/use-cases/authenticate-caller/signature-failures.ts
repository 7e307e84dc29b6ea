import { type Clock, clientNetwork, Rejection } from "@appserver/kernel";
import { LRUCache } from "lru-cache";

/** Each failed signature costs an RSA operation. A bucket holds `burst` failures and drains by `perSecond`. */
interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Limit of one address for all app names. High, because many apps may share the address of a load balancer. */
const ofPeer: Rate = { burst: 1_000, perSecond: 100 };
/** Limit of one address for one app name. */
const ofPair: Rate = { burst: 200, perSecond: 20 };
/** After a valid signature, an app is not affected by failures under other names at its address for this time. */
const provenMs = 600_000;
const maxBuckets = 10_000;

interface Bucket {
  failures: number;
  countedAt: number;
}

/**
 * Limits how many failing signatures are checked, by address and app, so that unknown callers cannot cause unlimited RSA
 * operations.
 */
export class SignatureFailures {
  readonly #clock: Clock;
  readonly #peers = new LRUCache<string, Bucket>({ max: maxBuckets });
  readonly #pairs = new LRUCache<string, Bucket>({ max: maxBuckets });
  readonly #proven = new LRUCache<string, number>({ max: maxBuckets });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws RATE_LIMIT_EXCEEDED while too many signatures from the address have failed. */
  refuseTooMany(remoteAddress: string, appName: string): void {
    const peer = clientNetwork(remoteAddress);
    const pair = `${peer} ${appName}`;
    const waitMs = Math.max(
      this.#waitMs(this.#pairs.get(pair), ofPair),
      this.#isProven(pair) ? 0 : this.#waitMs(this.#peers.get(peer), ofPeer),
    );
    if (waitMs <= 0) return;
    throw new Rejection("RATE_LIMIT_EXCEEDED", "signature_failures", "Too many requests with signatures that are not valid.", {
      retryAfterSeconds: Math.ceil(waitMs / 1_000),
      details: { retry_after: Math.ceil(waitMs / 1_000) },
    });
  }

  failed(remoteAddress: string, appName: string): void {
    const peer = clientNetwork(remoteAddress);
    this.#count(this.#peers, peer, ofPeer);
    this.#count(this.#pairs, `${peer} ${appName}`, ofPair);
  }

  succeeded(remoteAddress: string, appName: string): void {
    this.#proven.set(`${clientNetwork(remoteAddress)} ${appName}`, this.#clock.monotonic());
  }

  #isProven(pair: string): boolean {
    const at = this.#proven.get(pair);
    return at !== undefined && this.#clock.monotonic() - at < provenMs;
  }

  #count(buckets: LRUCache<string, Bucket>, key: string, rate: Rate): void {
    const failures = this.#left(buckets.get(key), rate) + 1;
    buckets.set(key, { failures, countedAt: this.#clock.monotonic() });
  }

  /** Returns the number of failures that the bucket still holds. */
  #left(bucket: Bucket | undefined, { perSecond }: Rate): number {
    if (!bucket) return 0;
    return Math.max(0, bucket.failures - ((this.#clock.monotonic() - bucket.countedAt) / 1_000) * perSecond);
  }

  #waitMs(bucket: Bucket | undefined, rate: Rate): number {
    const over = this.#left(bucket, rate) + 1 - rate.burst;
    return over > 0 ? (over / rate.perSecond) * 1_000 : 0;
  }
}
