/** Something that must have happened at a time. */
export interface PendingDeadline {
  /** Monotonic milliseconds of `performance.now()`. It may move in either direction. */
  dueAt: number;
  /** Where it waits. Belongs to {@link Deadlines}; −1 at first, and while it does not wait. */
  place: number;
  /** Called once, when the time has come. The deadline is removed before. */
  onDue(): void;
}

/**
 * Many deadlines with one timer: a timer of its own costs more than the rest of a step that most requests pass without waiting.
 * A deadline is noticed up to one step late, never early.
 *
 * They are in an array, because a `Set` keeps what it has held: each time V8 replaces its table the old one refers to the new one, so
 * that one old table in the memory for old objects keeps all later ones, with all requests in them, until that memory is collected.
 */
export class Deadlines {
  readonly #stepMs: number;
  readonly #waiting: PendingDeadline[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  /** Does nothing if it waits already. */
  add(deadline: PendingDeadline): void {
    if (deadline.place >= 0) return;
    deadline.place = this.#waiting.push(deadline) - 1;
    this.#timer ??= setInterval(() => this.#look(), this.#stepMs).unref();
  }

  /** Does nothing if it does not wait. */
  remove(deadline: PendingDeadline): void {
    const { place } = deadline;
    if (place < 0) return;
    deadline.place = -1;
    const last = this.#waiting.pop();
    if (!last || last === deadline) return;
    this.#waiting[place] = last;
    last.place = place;
  }

  #look(): void {
    const now = performance.now();
    for (const deadline of this.#waiting.filter(({ dueAt }) => dueAt <= now)) {
      // An earlier one may have removed it, or put it off.
      if (deadline.place < 0 || deadline.dueAt > now) continue;
      this.remove(deadline);
      deadline.onDue();
    }
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
