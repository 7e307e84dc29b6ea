import { setTimeout as sleep } from "node:timers/promises";
import type { NoteStore } from "./note-store.ts";

/** Shorter than `timeout_ms` in app.yaml. Finds a change of another process, which wakes no request here. */
const maxWaitMs = 8_000;

/** Lets requests wait until the notes have changed. */
export class NoteChanges {
  readonly #store: Pick<NoteStore, "revision">;
  readonly #maxMs: number;
  #next = new AbortController();
  #isStopped = false;

  constructor(store: Pick<NoteStore, "revision">, maxMs = maxWaitMs) {
    this.#store = store;
    this.#maxMs = maxMs;
  }

  /** To be called after a change: waiting requests compare the revision again. */
  wake(): void {
    const waiting = this.#next;
    this.#next = new AbortController();
    waiting.abort();
  }

  /** Returns the revision of the notes, at once if it is not `known`, otherwise when it has changed or after the longest wait. */
  async after(known: string): Promise<string> {
    const deadline = performance.now() + this.#maxMs;
    for (;;) {
      // Taken before the query: a change in between ends the wait.
      const { signal } = this.#next;
      const revision = await this.#store.revision();
      const left = deadline - performance.now();
      if (revision !== known || left <= 0 || this.#isStopped) return revision;
      await sleep(left, undefined, { signal }).catch(() => {});
    }
  }

  /** Ends all waits. */
  stop(): void {
    this.#isStopped = true;
    this.wake();
  }
}
