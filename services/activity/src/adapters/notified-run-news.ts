import type { Database, Subscription } from "@appserver/kernel/ports";
import type { RunNews } from "../ports.ts";
import { channels } from "./channels.ts";

/** News over PostgreSQL's LISTEN and NOTIFY: every replica hears of every change that was committed. */
export class NotifiedRunNews implements RunNews {
  readonly #database: Database;
  readonly #subscriptions: Subscription[] = [];
  readonly #watchers = new Map<string, Set<() => void>>();
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  async listen(handlers: Parameters<RunNews["listen"]>[0]): Promise<void> {
    const onGap = (): void => {
      for (const watchers of this.#watchers.values()) for (const tell of watchers) tell();
      handlers.onGap();
    };
    const on = async (channel: string, handler: (payload: string) => void): Promise<void> => {
      this.#subscriptions.push(await this.#database.listen(channel, handler, channel === channels.work ? onGap : undefined));
    };
    await on(channels.work, (queue) => {
      const slash = queue.lastIndexOf("/");
      handlers.onWork(queue.slice(0, slash), queue.slice(slash + 1));
    });
    await on(channels.cancel, handlers.onCancel);
    await on(channels.definitions, handlers.onDefinitions);
    await on(channels.runs, (ids) => {
      if (this.#watchers.size > 0) for (const id of ids.split(",")) for (const tell of this.#watchers.get(id) ?? []) tell();
    });
  }

  async *changes(runId: string, signal: AbortSignal): AsyncGenerator<void> {
    let changed = false;
    let wake = (): void => {};
    const tell = (): void => {
      changed = true;
      wake();
    };
    const watchers = this.#watchers.get(runId) ?? new Set();
    this.#watchers.set(runId, watchers.add(tell));
    signal.addEventListener("abort", tell, { once: true });
    try {
      while (!signal.aborted && !this.#closed) {
        if (changed) {
          changed = false;
          yield;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener("abort", tell);
      watchers.delete(tell);
      if (watchers.size === 0 && this.#watchers.get(runId) === watchers) this.#watchers.delete(runId);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const watchers of this.#watchers.values()) for (const tell of watchers) tell();
    for (const subscription of this.#subscriptions.splice(0)) await subscription.close();
  }
}
