import { RecentCalls, windowMs } from "./recent-calls.ts";

export type BreakerState = "CLOSED" | "OPEN" | "HALF_OPEN";

/**
 * What failed. `connection`: there was none, which no request can cause. `exchange`: the backend closed the connection, sent
 * no valid head, no head in time, or 502 to 504, which may be due to this request or its caller.
 */
export type FailureKind = "connection" | "exchange";

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
  /** Set if failures opened the breaker. Undefined when it opens again after a probe without a result. */
  readonly opening: Opening | undefined;
}

/** Permission to send one request. Settle it exactly once, at the head of the response. Later calls have no effect. */
export interface BreakerPermit {
  readonly isProbe: boolean;
  succeed(nowMs: number): void;
  fail(kind: FailureKind, nowMs: number): void;
  /** Settles a request that says nothing about the upstream, for example when the client disconnected. */
  release(): void;
}

export type Admission = { readonly permit: BreakerPermit } | { readonly retryAfterMs: number };

const failureLimit = 5;
/** Failed exchanges of fewer callers open the breaker for these callers only. Also the number of callers that probe. */
const callerLimit = 3;
/** How long the exchanges of one caller must have failed without a success of anybody. */
const aloneMs = 30_000;
const unconnectedRatio = 0.7;
const minimumCalls = 10;
const openMs = 30_000;
const busyMs = 1_000;

/** The failed exchanges of one caller since the last success of anybody. */
interface Suspect {
  failures: number;
  readonly since: number;
}

/** A probe that runs, or the last failure of a caller that is refused. */
interface Trial {
  readonly since: number;
  readonly isPending: boolean;
}

/**
 * One app's circuit breaker (docs/interface/proxy.md#circuit-breaker). No caller alone can make it refuse others while their
 * requests succeed. It remembers at most three callers. Pure: the caller passes monotonic milliseconds.
 */
export class CircuitBreaker {
  #state: BreakerState = "CLOSED";
  /** While it is not closed: whether it refuses all callers, or only the callers in {@link #trials}. */
  #refusesAll = false;
  #openedAt = 0;
  /** Grows when it closes, and when it begins to refuse all callers, so that late results of before are ignored. */
  #epoch = 0;
  /** Failures since the last success. */
  #unconnected = 0;
  #exchanges = 0;
  readonly #suspects = new Map<string, Suspect>();
  readonly #trials = new Map<string, Trial>();
  readonly #recent = new RecentCalls();
  readonly #onChange: (change: BreakerChange) => void;

  constructor(onChange: (change: BreakerChange) => void) {
    this.#onChange = onChange;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** `caller` names who sends the request: a user, an app, or the address of a stranger. */
  admit(caller: string, nowMs: number): Admission {
    if (this.#state === "CLOSED") return this.#permit(caller, false);
    const trial = this.#trials.get(caller);
    if (!this.#refusesAll) return trial ? this.#probe(caller, trial, nowMs) : this.#permit(caller, false);
    const waited = nowMs - this.#openedAt;
    if (waited < openMs) return { retryAfterMs: openMs - waited };
    if (trial) return this.#probe(caller, trial, nowMs);
    for (const [other, { since }] of this.#trials) if (nowMs - since >= openMs) this.#trials.delete(other);
    return this.#trials.size < callerLimit ? this.#probe(caller, undefined, nowMs) : { retryAfterMs: busyMs };
  }

  /** Called only by permits. */
  succeeded(epoch: number, nowMs: number): void {
    if (epoch !== this.#epoch) return;
    this.#recent.add(undefined, nowMs);
    this.#forgive();
    if (this.#state !== "CLOSED") this.#close();
  }

  /** Called only by permits. */
  failed(epoch: number, kind: FailureKind, by: { readonly caller: string; readonly isProbe: boolean }, nowMs: number): void {
    if (epoch !== this.#epoch) return;
    this.#recent.add(kind, nowMs);
    if (kind === "connection") this.#lostConnection(by.isProbe, nowMs);
    else if (by.isProbe) this.#failedProbe(by.caller, nowMs);
    else this.#failedExchange(by.caller, nowMs);
  }

  /** Called only by permits. After a probe without a result, the caller may probe again. */
  forget(epoch: number, caller: string): void {
    if (epoch !== this.#epoch || this.#trials.get(caller)?.isPending !== true) return;
    if (this.#refusesAll) this.#trials.delete(caller);
    else this.#trials.set(caller, { since: Number.NEGATIVE_INFINITY, isPending: false });
    if (!this.#isProbing) this.#become("OPEN");
  }

  #permit(caller: string, isProbe: boolean): Admission {
    return { permit: new Permit(this, this.#epoch, caller, isProbe) };
  }

  #probe(caller: string, trial: Trial | undefined, nowMs: number): Admission {
    const leftMs = trial ? trial.since + openMs - nowMs : 0;
    if (leftMs > 0) return { retryAfterMs: trial?.isPending === true ? busyMs : leftMs };
    this.#trials.set(caller, { since: nowMs, isPending: true });
    if (this.#state !== "HALF_OPEN") this.#become("HALF_OPEN");
    return this.#permit(caller, true);
  }

  #lostConnection(isProbe: boolean, nowMs: number): void {
    this.#unconnected += 1;
    const { calls, unconnected } = this.#recent;
    if (isProbe) this.#openForAll("a probe failed", nowMs);
    else if (this.#unconnected >= failureLimit) this.#openForAll(`${this.#unconnected} failed connections in a row`, nowMs);
    else if (calls >= minimumCalls && unconnected >= calls * unconnectedRatio) {
      this.#openForAll(`${unconnected} of ${calls} requests found no connection in ${windowMs / 1_000} s`, nowMs);
    }
  }

  #failedProbe(caller: string, nowMs: number): void {
    // A probe that took too long may have lost its place to another caller's.
    if (!this.#trials.has(caller)) return;
    this.#trials.set(caller, { since: nowMs, isPending: false });
    if (this.#isProbing) return;
    if (this.#refusesAll && this.#trials.size >= callerLimit) this.#openForAll("a probe failed", nowMs);
    else this.#become("OPEN", this.#opening("a probe failed"));
  }

  #failedExchange(caller: string, nowMs: number): void {
    this.#exchanges += 1;
    const suspect = this.#suspects.get(caller) ?? { failures: 0, since: nowMs };
    suspect.failures += 1;
    // More callers decide nothing more.
    if (this.#suspects.size < callerLimit) this.#suspects.set(caller, suspect);
    if (this.#exchanges >= failureLimit && this.#suspects.size >= callerLimit) {
      this.#openForAll(`${this.#exchanges} failures in a row, of ${callerLimit} callers or more`, nowMs);
    } else if (suspect.failures >= failureLimit && nowMs - suspect.since >= aloneMs) this.#openFor(caller, suspect, nowMs);
  }

  #openForAll(reason: string, nowMs: number): void {
    this.#refusesAll = true;
    this.#openedAt = nowMs;
    this.#epoch += 1;
    this.#trials.clear();
    this.#forgive();
    this.#become("OPEN", this.#opening(reason));
  }

  #openFor(caller: string, { failures }: Suspect, nowMs: number): void {
    if (this.#trials.get(caller)?.isPending === true) return;
    this.#trials.set(caller, { since: nowMs, isPending: false });
    if (this.#state !== "CLOSED") return;
    const reason = `${failures} failures in a row of one caller in ${aloneMs / 1_000} s; only that caller is refused`;
    this.#become("OPEN", this.#opening(reason));
  }

  #close(): void {
    this.#refusesAll = false;
    this.#epoch += 1;
    this.#trials.clear();
    this.#recent.clear();
    this.#become("CLOSED");
  }

  /** The count of failures in a row begins again. */
  #forgive(): void {
    this.#unconnected = 0;
    this.#exchanges = 0;
    this.#suspects.clear();
  }

  get #isProbing(): boolean {
    for (const { isPending } of this.#trials.values()) if (isPending) return true;
    return false;
  }

  #opening(reason: string): Opening {
    return { reason, failures: this.#recent.failures, requests: this.#recent.calls };
  }

  #become(state: BreakerState, opening?: Opening): void {
    this.#state = state;
    this.#onChange({ state, opening });
  }
}

class Permit implements BreakerPermit {
  readonly isProbe: boolean;
  readonly #breaker: CircuitBreaker;
  readonly #epoch: number;
  readonly #caller: string;
  #isSettled = false;

  constructor(breaker: CircuitBreaker, epoch: number, caller: string, isProbe: boolean) {
    this.#breaker = breaker;
    this.#epoch = epoch;
    this.#caller = caller;
    this.isProbe = isProbe;
  }

  succeed(nowMs: number): void {
    if (this.#settle()) this.#breaker.succeeded(this.#epoch, nowMs);
  }

  fail(kind: FailureKind, nowMs: number): void {
    if (this.#settle()) this.#breaker.failed(this.#epoch, kind, { caller: this.#caller, isProbe: this.isProbe }, nowMs);
  }

  release(): void {
    if (this.#settle() && this.isProbe) this.#breaker.forget(this.#epoch, this.#caller);
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    return true;
  }
}
