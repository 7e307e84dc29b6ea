import { AppError, type Component } from "@appserver/kernel";
import type { Broker, EventEnvelope } from "@appserver/kernel/ports";

/** How many events a subscriber may be behind (docs/interface/limits.md#websockets). */
const bufferSize = 10;

/** A subscriber fell too far behind. WebSockets close with 4429 on it; nobody waits for a slow client. */
export class SubscriptionOverflowError extends Error {
  override readonly name = "SubscriptionOverflowError";
  readonly code = "SUBSCRIPTION_OVERFLOW";

  constructor() {
    super(`the subscriber fell more than ${bufferSize} events behind`);
  }
}

export interface EventSubscriptionOptions {
  /** Events that it answers false to are not buffered. */
  readonly filter?: (event: EventEnvelope) => boolean;
  /** Ends the subscription, also while somebody waits in `next`. */
  readonly signal?: AbortSignal;
}

/** Hands the broker's events of this process to any number of subscribers, each with a bounded buffer. */
export class EventFanout implements Component {
  readonly name = "event fan-out";
  readonly #broker: Pick<Broker, "observe">;
  readonly #types: readonly string[];
  readonly #subscribers = new Map<string, Set<EventSubscription>>();
  #observation: { close(): Promise<void> } | undefined;

  /** `types`: every type that may ever be subscribed to. */
  constructor(broker: Pick<Broker, "observe">, types: readonly string[]) {
    this.#broker = broker;
    this.#types = types;
    for (const type of types) this.#subscribers.set(type, new Set());
  }

  async start(): Promise<void> {
    this.#observation = await this.#broker.observe(this.#types, (event) => this.#publish(event));
  }

  /** Ends every subscription as if its events were over. */
  async stop(): Promise<void> {
    await this.#observation?.close();
    for (const subscribers of this.#subscribers.values()) for (const subscriber of [...subscribers]) subscriber.end();
  }

  /**
   * Events from this call on, in the order they arrive. `next` rejects with {@link SubscriptionOverflowError} once the
   * subscriber is more than 10 behind, after which the iterator is done.
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

interface Waiting {
  resolve(result: IteratorResult<EventEnvelope>): void;
}

class EventSubscription implements AsyncIterableIterator<EventEnvelope> {
  readonly #filter: ((event: EventEnvelope) => boolean) | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: () => void;
  readonly #buffer: EventEnvelope[] = [];
  readonly #waiting: Waiting[] = [];
  #ended = false;
  #overflow = false;

  constructor(options: EventSubscriptionOptions, onEnd: () => void) {
    this.#filter = options.filter;
    this.#signal = options.signal;
    this.#onEnd = onEnd;
    this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  push(event: EventEnvelope): void {
    if (this.#filter && !this.#filter(event)) return;
    const waiting = this.#waiting.shift();
    if (waiting) {
      waiting.resolve({ value: event, done: false });
    } else if (this.#buffer.length < bufferSize) {
      this.#buffer.push(event);
    } else {
      this.#overflow = true;
      this.end();
    }
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#buffer.length = 0;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#onEnd();
    for (const waiting of this.#waiting.splice(0)) waiting.resolve({ value: undefined, done: true });
  }

  next(): Promise<IteratorResult<EventEnvelope>> {
    const event = this.#buffer.shift();
    if (event) return Promise.resolve({ value: event, done: false });
    if (this.#overflow) {
      this.#overflow = false;
      return Promise.reject(new SubscriptionOverflowError());
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#waiting.push({ resolve }));
  }

  return(): Promise<IteratorResult<EventEnvelope>> {
    this.#overflow = false;
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #onAbort = (): void => {
    this.#overflow = false;
    this.end();
  };
}
