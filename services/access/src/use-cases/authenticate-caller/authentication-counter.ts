import { metricCatalogue } from "@appserver/contracts/metrics";
import { type Caller, isAppError, isPromise, type MaybePromise } from "@appserver/kernel";
import type { CounterHandle, Metrics } from "../../ports.ts";

/** The kinds of credentials. */
export type CredentialKind = "signature" | "bearer" | "cookie";

/** Counts the results for credentials of one kind (docs/reference/metrics.md). */
export class AuthenticationCounter {
  readonly #accepted: CounterHandle;
  readonly #refused: CounterHandle;
  readonly #unavailable: CounterHandle;

  constructor(metrics: Metrics, credential: CredentialKind) {
    const counter = metrics.counter(metricCatalogue.authentications);
    this.#accepted = counter.bind({ credential, outcome: "accepted" });
    this.#refused = counter.bind({ credential, outcome: "refused" });
    this.#unavailable = counter.bind({ credential, outcome: "unavailable" });
  }

  /** Counts the outcome and returns it unchanged. */
  count(caller: MaybePromise<Caller>): MaybePromise<Caller> {
    return isPromise(caller) ? caller.then(this.#onCaller, this.fail) : this.#onCaller(caller);
  }

  /** Counts a failure and rethrows it. */
  readonly fail = (error: unknown): never => {
    (isAppError(error, "SERVICE_UNAVAILABLE") ? this.#unavailable : this.#refused).add();
    throw error;
  };

  readonly #onCaller = (caller: Caller): Caller => {
    this.#accepted.add();
    return caller;
  };
}
