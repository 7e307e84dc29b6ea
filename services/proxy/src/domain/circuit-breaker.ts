export type BreakerState = "CLOSED" | "OPEN" | "HALF_OPEN";

/** Why a breaker opened. */
export interface Opening {
  /** As text, for people. */
  readonly reason: string;
  /** Failed requests of the last 30 s. */
  readonly failures: number;
  /** Requests of the last 30 s that succeeded or failed. */
  readonly requests: number;
}

export interface BreakerChange {
  readonly state: BreakerState;
  /** Set if the upstream's failures opened the breaker. Undefined when it opens again after a probe without a result. */
  readonly opening: Opening | undefined;
}

/** Permission to send one request. Settle it exactly once. Later calls have no effect. */
export interface BreakerPermit {
  /** A probe is settled at the response's headers, so that a long stream does not keep the breaker half open. */
  readonly isProbe: boolean;
  succeed(nowMs: number): void;
  fail(nowMs: number): void;
  /** Settles a request that says nothing about the upstream, for example when the client disconnected. */
  release(): void;
}

export type Admission = { readonly permit: BreakerPermit } | { readonly retryAfterMs: number };

const consecutiveLimit = 5;
const failureRatio = 0.7;
const minimumCalls = 10;
const windowMs = 30_000;
const openMs = 30_000;
const bucketMs = 3_000;
const buckets = windowMs / bucketMs;

/**
 * One app's circuit breaker. It opens for 30 s after 5 failures in a row, or if at least 70 % of at least 10 calls in 30 s
 * failed. Then one probe decides (docs/interface/proxy.md#circuit-breaker). Pure: the caller passes monotonic milliseconds.
 */
export class CircuitBreaker {
  #state: BreakerState = "CLOSED";
  #consecutive = 0;
  #openedAt = 0;
  /** Grows with every state change, so that late results of an older state are ignored. */
  #epoch = 0;
  readonly #calls = new Uint32Array(buckets);
  readonly #failures = new Uint32Array(buckets);
  #slot = 0;
  readonly #onChange: (change: BreakerChange) => void;

  constructor(onChange: (change: BreakerChange) => void) {
    this.#onChange = onChange;
  }

  get state(): BreakerState {
    return this.#state;
  }

  admit(nowMs: number): Admission {
    if (this.#state === "CLOSED") return { permit: new Permit(this, this.#epoch, false) };
    const waited = nowMs - this.#openedAt;
    if (this.#state === "HALF_OPEN") return { retryAfterMs: 1_000 };
    if (waited < openMs) return { retryAfterMs: openMs - waited };
    this.#become("HALF_OPEN");
    return { permit: new Permit(this, this.#epoch, true) };
  }

  /** Called only by permits. */
  record(epoch: number, failed: boolean, nowMs: number): void {
    if (epoch !== this.#epoch) return;
    const isProbe = this.#state === "HALF_OPEN";
    this.#count(failed, nowMs);
    if (failed && (isProbe || this.#hasTripped())) this.#open(nowMs, isProbe);
    else if (isProbe) this.#close();
  }

  /** Called only by permits. After a probe without a result, the next probe is allowed. */
  forget(epoch: number): void {
    if (epoch === this.#epoch && this.#state === "HALF_OPEN") this.#become("OPEN");
  }

  #count(failed: boolean, nowMs: number): void {
    const slot = Math.floor(nowMs / bucketMs);
    for (let stale = Math.max(this.#slot + 1, slot - buckets + 1); stale <= slot; stale++) {
      this.#calls[stale % buckets] = 0;
      this.#failures[stale % buckets] = 0;
    }
    this.#slot = Math.max(this.#slot, slot);
    const index = this.#slot % buckets;
    this.#calls[index] = (this.#calls[index] ?? 0) + 1;
    if (failed) this.#failures[index] = (this.#failures[index] ?? 0) + 1;
    this.#consecutive = failed ? this.#consecutive + 1 : 0;
  }

  #hasTripped(): boolean {
    if (this.#consecutive >= consecutiveLimit) return true;
    const calls = sum(this.#calls);
    return calls >= minimumCalls && sum(this.#failures) >= calls * failureRatio;
  }

  #open(nowMs: number, isProbe: boolean): void {
    this.#openedAt = nowMs;
    const [failures, requests] = [sum(this.#failures), sum(this.#calls)];
    this.#become("OPEN", { reason: this.#reason(isProbe, failures, requests), failures, requests });
  }

  #reason(isProbe: boolean, failures: number, requests: number): string {
    if (isProbe) return "a probe failed";
    if (this.#consecutive >= consecutiveLimit) return `${this.#consecutive} failures in a row`;
    return `${failures} of ${requests} requests failed in ${windowMs / 1_000} s`;
  }

  #close(): void {
    this.#consecutive = 0;
    this.#calls.fill(0);
    this.#failures.fill(0);
    this.#become("CLOSED");
  }

  #become(state: BreakerState, opening?: Opening): void {
    this.#state = state;
    this.#epoch += 1;
    this.#onChange({ state, opening });
  }
}

class Permit implements BreakerPermit {
  readonly isProbe: boolean;
  readonly #breaker: CircuitBreaker;
  readonly #epoch: number;
  #isSettled = false;

  constructor(breaker: CircuitBreaker, epoch: number, isProbe: boolean) {
    this.#breaker = breaker;
    this.#epoch = epoch;
    this.isProbe = isProbe;
  }

  succeed(nowMs: number): void {
    this.#settle(false, nowMs);
  }

  fail(nowMs: number): void {
    this.#settle(true, nowMs);
  }

  release(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#breaker.forget(this.#epoch);
  }

  #settle(failed: boolean, nowMs: number): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#breaker.record(this.#epoch, failed, nowMs);
  }
}

function sum(counts: Uint32Array): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
