import type { Logger } from "@appserver/kernel";
import type { EventEnvelope, Subscription } from "@appserver/kernel/ports";
import type { MessageStore, RecentEvent } from "./message-store.ts";

interface Observer {
  readonly types: ReadonlySet<string>;
  readonly handler: (event: EventEnvelope) => void;
}

/** How many delivered events are remembered, so that one that is both notified and read after a reconnection comes once. */
const maxRemembered = 10_000;

/** Passes every published event to the observers of its type in this process, in the order of the notifications. */
export class EventObservers {
  readonly #store: MessageStore;
  readonly #logger: Logger;
  readonly #observers = new Set<Observer>();
  #pendingIds: number[] = [];
  #lastId = 0;
  readonly #delivered = new Set<number>();
  #delivering = Promise.resolve();

  constructor(store: MessageStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Starts observing: later events count as new. */
  async begin(): Promise<void> {
    this.#lastId = await this.#store.lastEventId();
  }

  add(types: readonly string[], handler: (event: EventEnvelope) => void): Subscription {
    const observer = { types: new Set(types), handler };
    this.#observers.add(observer);
    return {
      close: async () => {
        this.#observers.delete(observer);
      },
    };
  }

  /** Handles a notification. Reads the event's body only if this process observes its type. */
  notified(id: number, type: string): void {
    const wanted = this.#observers.values().some(({ types }) => types.has(type));
    if (!wanted) {
      this.#lastId = Math.max(this.#lastId, id);
      return;
    }
    this.#pendingIds.push(id);
    if (this.#pendingIds.length === 1) this.#enqueue(() => this.#fetchPending());
  }

  /**
   * Handles a lost connection, with which notifications were lost: delivers all stored events newer than the last notified one.
   */
  reconnected(): void {
    this.#enqueue(() => this.#store.recentEventsAfter(this.#lastId));
  }

  /** Resolves when all events notified so far have been delivered. */
  async settled(): Promise<void> {
    await this.#delivering;
  }

  /** Fetches all pending ids together: a burst of notifications needs one query. */
  async #fetchPending(): Promise<readonly RecentEvent[]> {
    const ids = this.#pendingIds;
    this.#pendingIds = [];
    return this.#store.recentEvents(ids);
  }

  #enqueue(fetch: () => Promise<readonly RecentEvent[]>): void {
    this.#delivering = this.#delivering.then(async () => {
      try {
        for (const { id, event } of await fetch()) this.#handOut(id, event);
      } catch (error) {
        this.#logger.warn({ err: error }, "broker: could not read events for observers; retrying");
      }
    });
  }

  #handOut(id: number, event: EventEnvelope): void {
    this.#lastId = Math.max(this.#lastId, id);
    if (this.#delivered.has(id)) return;
    this.#delivered.add(id);
    const [oldest] = this.#delivered.size > maxRemembered ? this.#delivered : [];
    if (oldest !== undefined) this.#delivered.delete(oldest);
    for (const { types, handler } of this.#observers) {
      if (!types.has(event.type)) continue;
      try {
        handler(event);
      } catch (error) {
        this.#logger.error({ err: error, event: event.id }, "broker: an event observer failed");
      }
    }
  }
}
