/** How many refused changes of one caller are recorded in an hour (docs/interface/operations.md#audit-log). */
const recordedInAnHour = 20;
const hourMs = 3_600_000;

/** Limits how many refused changes are recorded: a caller without permissions must not fill the audit log. */
export class RefusedChanges {
  readonly #counts = new Map<string, number>();
  #since = 0;

  /** Returns whether another refused change of this caller is recorded. `now` is epoch ms. */
  admits(actor: string, now: number): boolean {
    if (now - this.#since >= hourMs) {
      this.#counts.clear();
      this.#since = now;
    }
    const count = (this.#counts.get(actor) ?? 0) + 1;
    if (count > recordedInAnHour) return false;
    this.#counts.set(actor, count);
    return true;
  }
}
