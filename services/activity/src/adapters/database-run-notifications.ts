import { Mailbox } from "@appserver/kernel";
import type { Database, Subscription } from "@appserver/kernel/ports";
import type { RunNotifications } from "../ports.ts";
import { channels } from "./channels.ts";

/** Notifications by LISTEN and NOTIFY of PostgreSQL: every replica receives every change that was committed. */
export class DatabaseRunNotifications implements RunNotifications {
  readonly #database: Database;
  readonly #subscriptions: Subscription[] = [];
  readonly #watchers = new Map<string, Set<Mailbox<void>>>();
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  async listen(handlers: Parameters<RunNotifications["listen"]>[0]): Promise<void> {
    const onGap = (): void => {
      for (const watchers of this.#watchers.values()) for (const changes of watchers) changes.push();
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
      if (this.#watchers.size > 0)
        for (const id of ids.split(",")) for (const changes of this.#watchers.get(id) ?? []) changes.push();
    });
  }

  async *changes(runId: string, signal: AbortSignal): AsyncGenerator<void> {
    if (this.#closed || signal.aborted) return;
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

  async close(): Promise<void> {
    this.#closed = true;
    for (const watchers of this.#watchers.values()) for (const changes of watchers) await changes.return();
    for (const subscription of this.#subscriptions.splice(0)) await subscription.close();
  }
}
