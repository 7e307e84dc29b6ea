import { watch } from "node:fs/promises";
import { sep } from "node:path";
import { sleep } from "../../sleep.ts";

/** Editors write a file in several steps. */
const settleMs = 50;
/** What builds and tools write, and what is never part of an app. */
const ignored = /^(\.|node_modules$|__pycache__$|dist$|key\.pem$|certificate\.pem$)/;

/** The changes of the sources in a folder. */
export class FolderChanges {
  #hasChanged = false;
  #notify: () => void = () => {};
  readonly #stopped = new AbortController();

  constructor(folder: string) {
    void this.#watch(folder);
  }

  /** Calls `take` after each change, or after several if they come while it runs, until {@link stop}. It must not reject. */
  async each(take: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      if (!this.#hasChanged) await new Promise<void>((resolve) => (this.#notify = resolve));
      await sleep(settleMs);
      this.#hasChanged = false;
      if (!signal.aborted) await take();
    }
  }

  /** Ends the watch, so that it does not keep the process. */
  stop(): void {
    this.#stopped.abort();
    this.#notify();
  }

  async #watch(folder: string): Promise<void> {
    const { signal } = this.#stopped;
    try {
      for await (const { filename } of watch(folder, { recursive: true, signal })) {
        if (filename?.split(sep).some((part) => ignored.test(part))) continue;
        this.#hasChanged = true;
        this.#notify();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
