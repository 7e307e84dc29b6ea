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
  /** Id of the operation that the event is a step of. */
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly actor?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Delivers events between processes at least once. A confirmed event is not lost (docs/interface/events.md#delivery). */
export interface Broker {
  /** Resolves when the broker has safely stored all the events, in order. Rejects if it cannot confirm that. */
  publish(events: readonly EventEnvelope[]): Promise<void>;
  /**
   * Takes events of `types` from the shared durable queues `<prefix><type>`: each event goes to one consumer of the prefix. If
   * the handler resolves, the event is acknowledged. If it rejects, the event is retried with back-off, at most `maxRetries`
   * times, and is then moved to `<queue>.dlq`.
   */
  consume(options: ConsumeOptions, handler: EventHandler): Promise<Subscription>;
  /**
   * Passes every event of `types` published from now on to this process: fan-out, no retries, events are lost while
   * disconnected.
   */
  observe(types: readonly string[], handler: (event: EventEnvelope) => void): Promise<Subscription>;
  /** Returns the dead letters of one queue, oldest first. */
  deadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]>;
  ping(timeoutMs?: number): Promise<void>;
  /** Returns the depth of each queue that this broker uses, if it can read that cheaply; for metrics. */
  queueDepths?(): Promise<readonly QueueDepth[]>;
}

export interface QueueDepth {
  readonly queue: string;
  /** Events neither acknowledged nor dead: waiting, delayed, or with a consumer. */
  readonly pending: number;
  readonly dead: number;
}

export interface ConsumeOptions {
  /** `appserver.subscriber.` or `orchestrator.subscriber.` */
  readonly prefix: string;
  readonly types: readonly string[];
  /** Unacknowledged events a consumer may hold. Default: the driver's. */
  readonly prefetch?: number;
  /** Retries of an event before it becomes a dead letter. Default: the driver's. */
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
