import { AppError, backoffMs, type Clock, type Component, type Logger, settledWithin, uuidv7 } from "@appserver/kernel";
import type {
  Broker,
  ConsumeOptions,
  DeadLetter,
  EventEnvelope,
  EventHandler,
  QueueDepth,
  Subscription,
} from "@appserver/kernel/ports";
import { Connection, type ConnectionOptions } from "rabbitmq-client";
import { DeadLetterTurns } from "./dead-letter-turns.ts";
import { toMessage } from "./event-message.ts";
import { EventPublisher } from "./event-publisher.ts";
import { InstanceQueue } from "./instance-queue.ts";
import { QueueConsumer } from "./queue-consumer.ts";
import { readDeadLetters, readQueueDepths } from "./queue-reading.ts";

export interface RabbitBrokerOptions {
  /** `amqp://user:password@host:5672/vhost`, or `amqps://` (APPSERVER_RABBITMQ_URL). */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For `amqps://`: certificates in addition to those that the system trusts, as PEM. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Unique for each process. Part of the name of its queue. Default a new UUID. */
  readonly instanceId?: string;
  /** Events that a consumer holds at a time, unless it sets another number (docs/interface/events.md#delivery). */
  readonly prefetch: number;
  /** Retries of an event before it becomes a dead letter, unless its consumer sets another number. */
  readonly maxRetries: number;
  /**
   * Pause before the delivery that follows the given failed one (1 is the first). Every distinct value is a queue on the
   * broker. Default 1 s doubling up to 60 s.
   */
  readonly retryDelayMs?: (attempt: number) => number;
  /** Maximum wait for the broker during a start, which then continues without it. Default 5 s. */
  readonly startTimeoutMs?: number;
  /** Publishing rejects if the broker has not confirmed within this time. Default 10 s. */
  readonly publishTimeoutMs?: number;
  /** How long stopping waits for handlers. Default 10 s. */
  readonly stopTimeoutMs?: number;
}

/**
 * The broker port on RabbitMQ 3.10 or later (docs/interface/events.md#broker-layout): topic exchange
 * `appserver.events`, one durable quorum queue for each prefix and type, dead letters in `<queue>.dlq`, retries through
 * `appserver.events.retry.<ms>`.
 *
 * Consumers of one queue compete for its events. Events of a subject are handled one at a time and in order within one
 * process, retries included. There is no order between processes. Events that were on their way when a connection was lost may
 * come after later ones.
 */
export class RabbitBroker implements Broker, Component {
  readonly name = "rabbitmq-broker";
  readonly #options: Required<Omit<RabbitBrokerOptions, "tls">> & Pick<RabbitBrokerOptions, "tls">;
  readonly #consumers = new Set<QueueConsumer>();
  readonly #deadLetterTurns: DeadLetterTurns;
  #started: Started | undefined;

  constructor(options: RabbitBrokerOptions) {
    this.#options = {
      instanceId: uuidv7(),
      retryDelayMs: (attempt) => backoffMs(attempt, { firstMs: 1_000, maxMs: 60_000 }),
      startTimeoutMs: 5_000,
      publishTimeoutMs: 10_000,
      stopTimeoutMs: 10_000,
      ...options,
    };
    this.#deadLetterTurns = new DeadLetterTurns(() => this.#connectedOne("consuming"), options.clock);
  }

  /**
   * Resolves also if the broker is unreachable: the connection is retried without end, with back-off. Until it succeeds,
   * publishing rejects and consumers wait. Rejects if the URL is invalid, or if the broker refuses a declaration.
   */
  async start(): Promise<void> {
    const { clock, logger, instanceId, publishTimeoutMs } = this.#options;
    // Separate, because a broker that is low on memory or disk stops reading from connections that publish.
    const publishing = this.#connect("publishing");
    const consuming = this.#connect("consuming");
    const publisher = new EventPublisher({ connection: publishing, clock, logger, timeoutMs: publishTimeoutMs });
    const instanceQueue = new InstanceQueue({ connection: consuming, clock, logger, instanceId });
    this.#started = { publishing, consuming, publisher, instanceQueue };
    await Promise.all([publishing, consuming].map((connection) => this.#connected(connection)));
    await publisher.open();
  }

  async stop(): Promise<void> {
    const started = this.#started;
    if (!started) return;
    await Promise.all([...this.#consumers].map((consumer) => this.#close(consumer)));
    const { publishing, consuming, publisher, instanceQueue } = started;
    const closed = Promise.all([instanceQueue.close(), publisher.close()]).then(() =>
      Promise.all([publishing.close(), consuming.close()]),
    );
    // A blocked or half-open connection does not confirm that it is closing.
    await settledWithin(closed, { clock: this.#options.clock, ms: 1_000 });
    publishing.unsafeDestroy();
    consuming.unsafeDestroy();
  }

  async publish(events: readonly EventEnvelope[]): Promise<void> {
    if (events.length === 0) return;
    await this.#running().publisher.publish(events.map((event) => ({ type: event.type, message: toMessage(event) })));
  }

  async consume(options: ConsumeOptions, handler: EventHandler): Promise<Subscription> {
    const { clock, logger, retryDelayMs } = this.#options;
    const { consuming, publisher } = this.#running();
    const consumer = new QueueConsumer({
      connection: consuming,
      publisher,
      clock,
      logger,
      handler,
      retryDelayMs,
      prefix: options.prefix,
      types: options.types,
      prefetch: options.prefetch ?? this.#options.prefetch,
      maxRetries: options.maxRetries ?? this.#options.maxRetries,
    });
    this.#consumers.add(consumer);
    try {
      await consumer.open();
    } catch (error) {
      await this.#close(consumer);
      throw error;
    }
    return { close: () => this.#close(consumer) };
  }

  async observe(types: readonly string[], handler: (event: EventEnvelope) => void): Promise<Subscription> {
    return await this.#running().instanceQueue.observe(types, handler);
  }

  async deadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    return await this.#deadLetterTurns.take((connection) => readDeadLetters(connection, queue, limit, this.#options.clock));
  }

  /** Counts the queues consumed here. AMQP reports only ready messages, not delayed or delivered ones. */
  async queueDepths(): Promise<readonly QueueDepth[]> {
    const queues = [...this.#consumers].flatMap((consumer) => consumer.queues);
    return await this.#deadLetterTurns.take((connection) => readQueueDepths(connection, queues));
  }

  /** Rejects also while the broker accepts no events: the outbox then holds all of them. */
  async ping(timeoutMs = 2_000): Promise<void> {
    this.#connectedOne("consuming");
    await this.#running().publisher.ping(timeoutMs);
  }

  async #close(consumer: QueueConsumer): Promise<void> {
    this.#consumers.delete(consumer);
    await consumer.close(this.#options.stopTimeoutMs);
  }

  #running(): Started {
    if (!this.#started) throw new AppError("INTERNAL_ERROR", "the RabbitMQ broker is not started");
    return this.#started;
  }

  #connectedOne(purpose: "publishing" | "consuming"): Connection {
    const connection = this.#running()[purpose];
    if (!connection.ready)
      throw new AppError("SERVICE_UNAVAILABLE", "there is no connection to RabbitMQ", { dependency: "broker" });
    return connection;
  }

  #connect(purpose: string): Connection {
    const { url, tls, logger } = this.#options;
    const connection = new Connection(connectionOptions(url, tls, purpose));
    // The library reports each outage once. Its messages contain no password.
    connection.on("error", (error: unknown) =>
      logger.warn({ err: error, purpose }, "broker: could not connect to RabbitMQ; retrying"),
    );
    connection.on("connection", () => logger.info({ purpose }, "broker: connected to RabbitMQ"));
    return connection;
  }

  async #connected(connection: Connection): Promise<void> {
    const { startTimeoutMs } = this.#options;
    await connection.onConnect(startTimeoutMs, true).catch(() => {});
  }
}

interface Started {
  readonly publishing: Connection;
  readonly consuming: Connection;
  readonly publisher: EventPublisher;
  readonly instanceQueue: InstanceQueue;
}

function connectionOptions(url: string, tls: RabbitBrokerOptions["tls"], purpose: string): ConnectionOptions {
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== "amqp:" && protocol !== "amqps:") {
    throw new AppError(
      "INVALID_REQUEST",
      "the RabbitMQ URL is invalid: expected amqp://user:password@host:port/vhost, or amqps://",
    );
  }
  return {
    url,
    connectionName: `appserver ${purpose}`,
    // A peer that disappeared without closing is detected within 20 s.
    heartbeat: 10,
    retryLow: 100,
    retryHigh: 5_000,
    noDelay: true,
    ...(tls && protocol === "amqps:" && { tls: { ...tls } }),
  };
}
