import { setTimeout as sleep } from "node:timers/promises";
import { DropHook, type Hook } from "@appserver/sdk";

/** The hook that app.yaml subscribes to. */
export const noteCreatedHook = "com.example.notes.created";

export interface NewestNote {
  readonly id: string;
  readonly createdAt: string;
}

/** The newest note from the hooks of the notes app. A hook may be delivered twice, and hooks may arrive in any order. */
export class LastNote {
  #latest: NewestNote | undefined;
  #next = new AbortController();
  #isStopped = false;

  get latest(): NewestNote | undefined {
    return this.#latest;
  }

  take({ data }: Hook): void {
    const { id, createdAt } = (typeof data === "object" && data !== null ? data : {}) as Partial<Record<string, unknown>>;
    // A retry would deliver the same data.
    if (typeof id !== "string" || typeof createdAt !== "string") throw new DropHook("the data does not describe a note");
    if (this.#latest && this.#latest.createdAt >= createdAt) return;
    this.#latest = { id, createdAt };
    this.#wake();
  }

  /** Returns the newest note: at once if its id is not `known`, otherwise after the next hook or `maxMs`. */
  async after(known: string | undefined, maxMs: number): Promise<NewestNote | undefined> {
    if (this.#latest?.id === known && !this.#isStopped) {
      await sleep(maxMs, undefined, { signal: this.#next.signal }).catch(() => {});
    }
    return this.#latest;
  }

  /** Ends all waits. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#next;
    this.#next = new AbortController();
    waiting.abort();
  }
}
