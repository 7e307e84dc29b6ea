/**
 * Since when this process sees each switch that no orchestrator has started. The time since the command would also include a
 * stop of the platform, during which no orchestrator could start it.
 */
export class UnstartedSwitches {
  /** By operation. Monotonic. */
  readonly #seenAt = new Map<string, number>();

  /** Returns for how many milliseconds this process has seen the switch of this operation. `now` is monotonic. */
  seenForMs(operationId: string, now: number): number {
    const seenAt = this.#seenAt.get(operationId) ?? now;
    this.#seenAt.set(operationId, seenAt);
    return now - seenAt;
  }

  /** Forgets all other switches: they have ended. */
  keep(operationIds: ReadonlySet<string>): void {
    for (const operationId of this.#seenAt.keys()) if (!operationIds.has(operationId)) this.#seenAt.delete(operationId);
  }
}
