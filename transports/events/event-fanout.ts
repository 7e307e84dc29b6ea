import { AppError, type Component, Mailbox } from "@appserver/kernel";
import type { Broker, EventEnvelope } from "@appserver/kernel/ports";

/** Maximum number of events in a subscriber's buffer (docs/interface/limits.md#websockets). */
const bufferSize = 10;

/** A subscriber fell too far behind. The WebSocket closes with 4429, because the server does not wait for a slow client. */
export class SubscriptionOverflowError extends Error {
  override readonly name = "SubscriptionOverflowError";
  readonly code = "SUBSCRIPTION_OVERFLOW";

  constructor() {
    super(`the subscriber fell more than ${bufferSize} events behind`);
  }
}

export interface EventSubscriptionOptions {
  /** Events for which it returns false are not buffered. */
  readonly filter?: (event: EventEnvelope) => boolean;
  /** Ends the subscription, also while a `next` is pending. */
  readonly signal?: AbortSignal;
}

/** Distributes the broker's events of this process to any number of subscribers, each with a bounded buffer. */
export class EventFanout implements Component {
  readonly name = "event fan-out";
  readonly #broker: Pick<Broker, "observe">;
  readonly #types: readonly string[];
  readonly #subscribers = new Map<string, Set<EventSubscription>>();
  #observation: { close(): Promise<void> } | undefined;

  /** `types`: every type that subscriptions can use. */
  constructor(broker: Pick<Broker, "observe">, types: readonly string[]) {
    this.#broker = broker;
    this.#types = types;
    for (const type of types) this.#subscribers.set(type, new Set());
  }

  async start(): Promise<void> {
    this.#observation ??= await this.#broker.observe(this.#types, (event) => this.#publish(event));
  }

  /** Ends every subscription as if no more events followed. */
  async stop(): Promise<void> {
    await this.#observation?.close();
    for (const subscribers of this.#subscribers.values()) for (const subscriber of [...subscribers]) subscriber.end();
  }

  /**
   * Returns the events from this call on, in order of arrival. `next` rejects with {@link SubscriptionOverflowError} once the
   * subscriber is more than 10 events behind. After that the iterator is done.
   */
  subscribe(types: readonly string[], options: EventSubscriptionOptions = {}): AsyncIterableIterator<EventEnvelope> {
    const sets = types.map((type) => this.#setOf(type));
    const subscription = new EventSubscription(options, () => {
      for (const set of sets) set.delete(subscription);
    });
    if (options.signal?.aborted) subscription.end();
    else for (const set of sets) set.add(subscription);
    return subscription;
  }

  #publish(event: EventEnvelope): void {
    for (const subscription of this.#subscribers.get(event.type) ?? []) subscription.push(event);
  }

  #setOf(type: string): Set<EventSubscription> {
    const set = this.#subscribers.get(type);
    if (!set) throw new AppError("INTERNAL_ERROR", `events of type ${type} are not observed`);
    return set;
  }
}

class EventSubscription implements AsyncIterableIterator<EventEnvelope> {
  readonly #filter: ((event: EventEnvelope) => boolean) | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: () => void;
  readonly #events = new Mailbox<EventEnvelope>(bufferSize);

  constructor(options: EventSubscriptionOptions, onEnd: () => void) {
    this.#filter = options.filter;
    this.#signal = options.signal;
    this.#onEnd = onEnd;
    this.#signal?.addEventListener("abort", this.end, { once: true });
  }

  push(event: EventEnvelope): void {
    if (this.#filter && !this.#filter(event)) return;
    if (this.#events.push(event)) return;
    this.#events.clear();
    this.#events.close(new SubscriptionOverflowError());
    this.#leave();
  }

  readonly end = (): void => {
    void this.#events.return();
    this.#leave();
  };

  next(): Promise<IteratorResult<EventEnvelope>> {
    return this.#events.next();
  }

  return(): Promise<IteratorResult<EventEnvelope>> {
    this.#leave();
    return this.#events.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #leave(): void {
    this.#signal?.removeEventListener("abort", this.end);
    this.#onEnd();
  }
}
