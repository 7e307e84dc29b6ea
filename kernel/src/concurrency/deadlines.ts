/** Something that must have happened at a time. */
export interface PendingDeadline {
  /** Monotonic milliseconds of `performance.now()`. It may move in either direction. */
  dueAt: number;
  /** Called once, when the time has come. The deadline is removed before. */
  onDue(): void;
}

/**
 * Many deadlines with one timer: a timer of its own costs more than the rest of a step that most requests pass without waiting.
 * A deadline is noticed up to one step late, never early.
 */
export class Deadlines {
  readonly #stepMs: number;
  readonly #waiting = new Set<PendingDeadline>();
  #timer: NodeJS.Timeout | undefined;

  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  add(deadline: PendingDeadline): void {
    this.#waiting.add(deadline);
    this.#timer ??= setInterval(() => this.#look(), this.#stepMs).unref();
  }

  remove(deadline: PendingDeadline): void {
    this.#waiting.delete(deadline);
  }

  #look(): void {
    const now = performance.now();
    for (const deadline of this.#waiting) {
      if (deadline.dueAt > now) continue;
      this.#waiting.delete(deadline);
      deadline.onDue();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
