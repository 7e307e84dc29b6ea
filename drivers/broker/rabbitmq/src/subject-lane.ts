/**
 * Keeps the order of one subject's events in one queue, as far as one consumer can. One event runs; later ones wait. If the
 * running event fails, it is sent to the retry queue, with everything behind it and everything that arrives before the first of
 * them returns. They return in the order in which they left.
 *
 * Other consumers of the queue do not know of this order. An event in the retry queue may return to one of them, so this lane
 * waits for it only for a limited time.
 */
export class SubjectLane<T extends { readonly id: string }> {
  #running: T | undefined;
  #waiting: T[] = [];
  /** Events in the retry queue, in the order in which they are to run, each awaited until the given time. */
  #away: { readonly id: string; readonly until: number }[] = [];
  #delayMs = 0;

  /** Delay of the retry queue for events that arrive now. */
  get delayMs(): number {
    return this.#delayMs;
  }

  isIdle(now: number): boolean {
    this.#giveUpOnOverdue(now);
    return this.#running === undefined && this.#waiting.length === 0 && this.#away.length === 0;
  }

  /**
   * Returns what to do with an event that arrived: run it now, keep it waiting, or send it to the retry queue for {@link
   * delayMs}.
   */
  arrive(item: T, now: number): "run" | "wait" | "send-away" {
    this.#giveUpOnOverdue(now);
    const [first] = this.#away;
    if (first && first.id !== item.id && this.#running?.id !== item.id) {
      this.#expect(item, now);
      return "send-away";
    }
    if (first?.id === item.id) this.#away.shift();
    if (this.#running) {
      this.#waiting.push(item);
      return "wait";
    }
    this.#running = item;
    return "run";
  }

  /** Finishes the running event. Returns the next to run, and copies of the same event that arrived during the run. */
  finish(): { next: T | undefined; copies: readonly T[] } {
    const done = this.#running?.id;
    const copies = this.#waiting.filter(({ id }) => id === done);
    this.#waiting = this.#waiting.filter(({ id }) => id !== done);
    this.#running = this.#waiting.shift();
    return { next: this.#running, copies };
  }

  /** Fails the running event. Returns it and those behind it, in order: all must be sent to the retry queue for `delayMs`. */
  retreat(delayMs: number, now: number): readonly T[] {
    const leaving = [...(this.#running ? [this.#running] : []), ...this.#waiting];
    this.#running = undefined;
    this.#waiting = [];
    this.#delayMs = delayMs;
    const until = this.#awaitedUntil(now);
    // An event that was received again after its channel was lost is there twice, and returns once.
    const leavingIds = new Set(leaving.map(({ id }) => id));
    this.#away = [...[...leavingIds].map((id) => ({ id, until })), ...this.#away];
    return leaving;
  }

  #expect({ id }: T, now: number): void {
    const until = this.#awaitedUntil(now);
    const place = this.#away.findIndex((away) => away.id === id);
    if (place === -1) this.#away.push({ id, until });
    else this.#away[place] = { id, until };
  }

  /** Twice the delay plus a second, because a busy broker is late. */
  #awaitedUntil(now: number): number {
    return now + 2 * this.#delayMs + 1_000;
  }

  #giveUpOnOverdue(now: number): void {
    this.#away = this.#away.filter(({ until }) => until > now);
  }
}
