/** Something that must make progress. */
export interface PendingDeadline {
  /** How long it may make none, in milliseconds. */
  readonly limitMs: number;
  /** Set at each progress: its time begins again. True at first. */
  hasProgressed: boolean;
  /** Monotonic milliseconds. Belongs to {@link Deadlines}. */
  dueAt: number;
  /** Where it waits. Belongs to {@link Deadlines}; −1 at first, and while it does not wait. */
  place: number;
  /** Called once, when its time is over. It is removed before. */
  onDue(): void;
}

/**
 * Many deadlines with one timer, and without a reading of the clock for each: a timer of its own costs more than the rest of a step
 * that most requests pass without waiting. A deadline is noticed up to two steps late, never early.
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
    for (const deadline of this.#waiting.filter((each) => isDue(each, now))) {
      // An earlier one may have removed it, or have made it progress.
      if (deadline.place < 0 || deadline.hasProgressed) continue;
      this.remove(deadline);
      deadline.onDue();
    }
    if (this.#waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** The time of what has progressed begins again. */
function isDue(deadline: PendingDeadline, now: number): boolean {
  if (!deadline.hasProgressed) return deadline.dueAt <= now;
  deadline.hasProgressed = false;
  deadline.dueAt = now + deadline.limitMs;
  return false;
}
