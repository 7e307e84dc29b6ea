import { Mailbox } from "@appserver/kernel";
import type { RunChanges } from "../ports.ts";

/**
 * The watchers of runs in this process. An iteration ends with its signal only: the listeners stop after the service, and a stream
 * that ended before would tell its client that nothing more follows.
 */
export class RunWatchers implements RunChanges {
  readonly #watchers = new Map<string, Set<Mailbox<void>>>();

  /** Notifies the watchers of these runs. */
  changed(runIds: readonly string[]): void {
    for (const id of runIds) for (const changes of this.#watchers.get(id) ?? []) changes.push();
  }

  /** Notifies every watcher, because notifications may have been missed. */
  allChanged(): void {
    this.changed([...this.#watchers.keys()]);
  }

  async *changes(runId: string, signal: AbortSignal): AsyncGenerator<void> {
    if (signal.aborted) return;
    // One waiting change stands for all that come before it is read.
    const changes = new Mailbox<void>(1);
    const watchers = this.#watchers.get(runId) ?? new Set();
    this.#watchers.set(runId, watchers.add(changes));
    const onAbort = (): void => void changes.return();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      yield* changes;
    } finally {
      signal.removeEventListener("abort", onAbort);
      watchers.delete(changes);
      if (watchers.size === 0 && this.#watchers.get(runId) === watchers) this.#watchers.delete(runId);
    }
  }
}
