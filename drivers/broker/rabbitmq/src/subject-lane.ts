/**
 * The order of one subject's events in one queue, as far as one consumer can keep it. One runs; those that arrive
 * meanwhile wait. When the running one fails it is sent away for a while, and so is everything behind it, and whatever
 * arrives before the first of them is back: they return in the order in which they left.
 *
 * Other consumers of the queue know nothing of it. What was sent away may return to one of them, so nobody here waits for
 * it for ever.
 */
export class SubjectLane<T extends { readonly id: string }> {
  #running: T | undefined;
  #waiting: T[] = [];
  /** Sent away, in the order in which they are to run, each awaited until the time given. */
  #away: { readonly id: string; readonly until: number }[] = [];
  #delayMs = 0;

  /** How long what arrives now is sent away for. */
  get delayMs(): number {
    return this.#delayMs;
  }

  isIdle(now: number): boolean {
    this.#giveUpOnOverdue(now);
    return this.#running === undefined && this.#waiting.length === 0 && this.#away.length === 0;
  }

  /** What to do with an event that arrived: run it now, keep it for later, or send it away for {@link delayMs}. */
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

  /** The running one is done with. Answers the next to run, and copies of the same event that arrived while it ran. */
  finish(): { next: T | undefined; copies: readonly T[] } {
    const done = this.#running?.id;
    const copies = this.#waiting.filter(({ id }) => id === done);
    this.#waiting = this.#waiting.filter(({ id }) => id !== done);
    this.#running = this.#waiting.shift();
    return { next: this.#running, copies };
  }

  /** The running one failed. Answers it and those behind it, in order: all are to be sent away for `delayMs`. */
  retreat(delayMs: number, now: number): readonly T[] {
    const leaving = [...(this.#running ? [this.#running] : []), ...this.#waiting];
    this.#running = undefined;
    this.#waiting = [];
    this.#delayMs = delayMs;
    const until = this.#awaitedUntil(now);
    this.#away = [...leaving.map(({ id }) => ({ id, until })), ...this.#away];
    return leaving;
  }

  /** What waits will be delivered again: its channel is gone. */
  forgetWaiting(): void {
    this.#waiting = [];
  }

  #expect({ id }: T, now: number): void {
    const until = this.#awaitedUntil(now);
    const place = this.#away.findIndex((away) => away.id === id);
    if (place === -1) this.#away.push({ id, until });
    else this.#away[place] = { id, until };
  }

  /** Twice the delay and a second: a busy broker is late. */
  #awaitedUntil(now: number): number {
    return now + 2 * this.#delayMs + 1_000;
  }

  #giveUpOnOverdue(now: number): void {
    this.#away = this.#away.filter(({ until }) => until > now);
  }
}
