import { backoffMs, type Clock, type Component, every, type Logger } from "@appserver/kernel";
import type {
  Broker,
  ConsumeOptions,
  Database,
  DeadLetter,
  EventEnvelope,
  EventHandler,
  QueueDepth,
  Subscription,
} from "@appserver/kernel/ports";
import { EventObservers } from "./event-observers.ts";
import { brokerChannel, MessageStore } from "./message-store.ts";
import { QueueConsumer } from "./queue-consumer.ts";

export interface PostgresBrokerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Events that a consumer holds at a time, unless it sets another number (docs/interface/events.md#delivery). */
  readonly prefetch: number;
  /** Retries of an event before it becomes a dead letter, unless its consumer sets another number. */
  readonly maxRetries: number;
  /** Pause before the delivery that follows the given failed one (1 is the first). Default 1 s doubling up to 60 s. */
  readonly retryDelayMs?: (attempt: number) => number;
  /** A consumer without a sign of life for this time is considered dead, and others receive its events. Default 10 s. */
  readonly visibilityMs?: number;
  /** Interval of the search for events that no notification announced. Default 5 s. */
  readonly pollMs?: number;
  /** How long stopping waits for handlers. Default 10 s. */
  readonly stopTimeoutMs?: number;
  /** How long observed events are kept for look-ups. Default 60 s. */
  readonly observedRetentionMs?: number;
}

/**
 * Implements the broker port on the platform's database: durable queues as rows, NOTIFY to wake consumers (a few milliseconds
 * from publish to handler). Several processes share a queue by SKIP LOCKED. Needs {@link brokerMigrations}.
 */
export class PostgresBroker implements Broker, Component {
  readonly name = "postgres-broker";
  readonly #options: Required<PostgresBrokerOptions>;
  readonly #store: MessageStore;
  readonly #observers: EventObservers;
  readonly #consumers = new Map<QueueConsumer, ReadonlySet<string>>();
  readonly #stopping = new AbortController();
  #listening: Subscription | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(options: PostgresBrokerOptions) {
    this.#options = {
      retryDelayMs: (attempt) => backoffMs(attempt, { firstMs: 1_000, maxMs: 60_000 }),
      visibilityMs: 10_000,
      pollMs: 5_000,
      stopTimeoutMs: 10_000,
      observedRetentionMs: 60_000,
      ...options,
    };
    this.#store = new MessageStore(options.database);
    this.#observers = new EventObservers(this.#store, options.logger);
  }

  /** Rejects if the database is unreachable. Observing and prompt consuming need a started broker. */
  async start(): Promise<void> {
    await this.#observers.begin();
    this.#listening ??= await this.#options.database.listen(
      brokerChannel,
      (payload) => this.#notified(payload),
      () => this.#reconnected(),
    );
    this.#sweeping = this.#sweep();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#consumers.keys()].map((consumer) => this.#close(consumer)));
    await this.#listening?.close();
    await this.#observers.settled();
    await this.#sweeping;
  }

  /**
   * Makes the events due that consumers hold. For a process that can be sure that all earlier consumers have ended: it need not
   * wait until they are considered dead.
   */
  releaseAll(): Promise<void> {
    return this.#store.releaseAll();
  }

  async publish(events: readonly EventEnvelope[]): Promise<void> {
    if (events.length > 0) await this.#store.publish(events);
  }

  async consume(options: ConsumeOptions, handler: EventHandler): Promise<Subscription> {
    const { clock, logger, retryDelayMs, visibilityMs, pollMs } = this.#options;
    for (const type of options.types) await this.#store.declareQueue(options.prefix + type, type);
    const consumer = new QueueConsumer({
      clock,
      logger,
      retryDelayMs,
      visibilityMs,
      pollMs,
      handler,
      store: this.#store,
      queues: options.types.map((type) => options.prefix + type),
      prefetch: options.prefetch ?? this.#options.prefetch,
      maxRetries: options.maxRetries ?? this.#options.maxRetries,
    });
    this.#consumers.set(consumer, new Set(options.types));
    return { close: () => this.#close(consumer) };
  }

  async observe(types: readonly string[], handler: (event: EventEnvelope) => void): Promise<Subscription> {
    return this.#observers.add(types, handler);
  }

  deadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    return this.#store.deadLetters(queue, limit);
  }

  queueDepths(): Promise<readonly QueueDepth[]> {
    return this.#store.depths();
  }

  ping(timeoutMs?: number): Promise<void> {
    return this.#options.database.ping(timeoutMs);
  }

  async #close(consumer: QueueConsumer): Promise<void> {
    this.#consumers.delete(consumer);
    await consumer.close(this.#options.stopTimeoutMs);
  }

  #notified(payload: string): void {
    const [id = "", type = ""] = payload.split(" ");
    for (const [consumer, types] of this.#consumers) if (types.has(type)) consumer.wake();
    this.#observers.notified(Number(id), type);
  }

  #reconnected(): void {
    for (const consumer of this.#consumers.keys()) consumer.wake();
    this.#observers.reconnected();
  }

  #sweep(): Promise<void> {
    const { clock, logger, observedRetentionMs } = this.#options;
    return every({
      clock,
      signal: this.#stopping.signal,
      intervalMs: observedRetentionMs / 2,
      first: "after a pause",
      run: () => this.#store.forgetRecentEvents(observedRetentionMs),
      onError: (error) => logger.debug({ err: error }, "broker: could not delete old events"),
    });
  }
}
