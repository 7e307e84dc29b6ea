import type { Clock } from "@appserver/kernel";
import { backOffLeft, type Deployment } from "../domain/deployment.ts";

/** While apps wait for the registry, one of them asks it this often, whatever its back-off. */
const tryEveryMs = 15_000;

/**
 * The apps of this orchestrator that wait for a registry that is unreachable. Their back-offs reach 5 min, so that many apps do not all ask a
 * registry that is unreachable. Instead one of them asks it every 15 s. When an image was pulled, the others pull at once.
 */
export class RegistryOutage {
  readonly #clock: Clock;
  readonly #wake: (appName: string) => void;
  readonly #waiting = new Set<string>();
  /** Monotonic. */
  #nextTryAt = 0;

  /** `wake` makes an app be looked at now. */
  constructor(clock: Clock, wake: (appName: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Returns whether a deployment that waits for the registry may pull before its back-off is over. */
  mayTry(deployment: Deployment): boolean {
    if (!isWaiting(deployment, this.#clock.now())) return false;
    // Not known here: the registry has sent an image since, or the deployment waits since another process worked on it.
    return !this.#waiting.has(deployment.appName) || this.#clock.monotonic() >= this.#nextTryAt;
  }

  /** Returns the milliseconds until some deployment may try. Undefined if this one does not wait for the registry. */
  millisecondsLeft(deployment: Deployment): number | undefined {
    if (!isWaiting(deployment, this.#clock.now())) return undefined;
    return Math.max(0, this.#nextTryAt - this.#clock.monotonic());
  }

  /** Called at the beginning of a pull. */
  tried(): void {
    this.#nextTryAt = this.#clock.monotonic() + tryEveryMs;
  }

  /** Called after a pull that the registry did not respond to. */
  failed(appName: string): void {
    this.#waiting.add(appName);
    this.tried();
  }

  /** Called after the registry sent an image. */
  responded(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const appName of waiting) this.#wake(appName);
  }
}

function isWaiting(deployment: Deployment, now: number): boolean {
  const { state, fault } = deployment;
  return state === "PENDING" && fault?.kind === "image_unavailable" && backOffLeft(deployment, now) > 0;
}
