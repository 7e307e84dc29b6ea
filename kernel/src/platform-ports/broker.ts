import type { Subscription } from "./database.ts";

/**
 * An event as it is sent. `body` is plain JSON (docs/interface/events.md#body). The other fields are CloudEvents 1.0
 * attributes, which are sent as headers (docs/interface/events.md#envelope).
 */
export interface EventEnvelope {
  /** UUIDv7; the key for idempotent consumers. */
  readonly id: string;
  /** `app.installed`; also the routing key. */
  readonly type: string;
  /** `/appserver/<instance>` */
  readonly source: string;
  /** The app's name. Events of one subject are delivered to a queue in the order they were published. */
  readonly subject: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly time: string;
  readonly sequence?: number;
  readonly traceparent?: string;
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly actor?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Delivers events between processes at least once. A confirmed event is not lost (docs/interface/events.md#delivery). */
export interface Broker {
  /** Resolves when the broker has the events safely, all of them, in order. Rejects when it cannot say so. */
  publish(events: readonly EventEnvelope[]): Promise<void>;
  /**
   * Takes events of `types` from the shared durable queues `<prefix><type>`: each event goes to one consumer of the
   * prefix. The handler's resolve acknowledges; its rejection retries with back-off, at most `maxRetries` times, then
   * the event is moved to `<queue>.dlq`.
   */
  consume(options: ConsumeOptions, handler: EventHandler): Promise<Subscription>;
  /** Every event of `types` published from now on, in this process: fan-out, no retries, lost when not connected. */
  observe(types: readonly string[], handler: (event: EventEnvelope) => void): Promise<Subscription>;
  /** Dead letters of one queue, oldest first. */
  deadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]>;
  ping(timeoutMs?: number): Promise<void>;
  /** How much waits in each queue that this broker knows, where it can tell cheaply; for metrics. */
  queueDepths?(): Promise<readonly QueueDepth[]>;
}

export interface QueueDepth {
  readonly queue: string;
  /** Neither acknowledged nor dead: waiting, delayed, or with a consumer. */
  readonly pending: number;
  readonly dead: number;
}

export interface ConsumeOptions {
  /** `appserver.subscriber.` or `orchestrator.subscriber.` */
  readonly prefix: string;
  readonly types: readonly string[];
  /** Unacknowledged events a consumer may hold. Default 10. */
  readonly prefetch?: number;
  /** Default 5 (RABBITMQ_MAX_RETRIES). */
  readonly maxRetries?: number;
}

export interface Delivery {
  readonly event: EventEnvelope;
  /** 1 for the first delivery. */
  readonly attempt: number;
  readonly queue: string;
}

export type EventHandler = (delivery: Delivery) => Promise<void>;

export interface DeadLetter {
  readonly event: EventEnvelope;
  readonly queue: string;
  readonly attempts: number;
  readonly error: string;
  readonly at: Date;
}
