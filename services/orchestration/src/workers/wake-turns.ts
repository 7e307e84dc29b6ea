/** Apps that start at a time because a request, a delivery or a run wakes them. A start takes most of a machine for a moment. */
const atOnce = 2;

/** Lets two sleeping apps of this orchestrator start at a time. */
export class WakeTurns {
  readonly #wake: (appName: string) => void;
  readonly #starting = new Set<string>();
  readonly #waiting = new Set<string>();

  /** `wake` makes an app be looked at now. */
  constructor(wake: (appName: string) => void) {
    this.#wake = wake;
  }

  /** Returns whether the app may start now. Otherwise it is woken when it may. A turn lasts until {@link end}. */
  take(appName: string): boolean {
    if (this.#starting.has(appName)) return true;
    if (this.#starting.size >= atOnce) {
      this.#waiting.add(appName);
      return false;
    }
    this.#waiting.delete(appName);
    this.#starting.add(appName);
    return true;
  }

  /** Ends the turn of an app that has started, has failed to, or need not. */
  end(appName: string): void {
    this.#waiting.delete(appName);
    if (!this.#starting.delete(appName)) return;
    const [next] = this.#waiting;
    if (next !== undefined) this.#wake(next);
  }
}
