import { randomUUID } from "node:crypto";
import { eventExchange } from "@appserver/contracts/events";
import { AppError, type Clock, type Logger, messageOf, within } from "@appserver/kernel";
import type { Channel, Connection } from "rabbitmq-client";
import type { OutgoingMessage } from "./event-message.ts";
import { LastingChannel } from "./lasting-channel.ts";
import { declareExchanges } from "./topology.ts";

export interface EventPublisherOptions {
  /** Used only for publishing: a broker that is low on resources blocks the whole connection, including acknowledgements. */
  readonly connection: Connection;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeoutMs: number;
}

/** Identifies a moved message, so that the broker's return for a missing queue can be matched to it. */
const moveHeader = "x-appserver-move";

/** Publishes with confirms, in the order of the calls. Every promise settles within the timeout. */
export class EventPublisher {
  readonly #options: EventPublisherOptions;
  readonly #channel: LastingChannel;
  readonly #returned = new Set<string>();
  /** Aborts, with the reason, when the broker blocks publishing. */
  #blocking = new AbortController();

  constructor(options: EventPublisherOptions) {
    this.#options = options;
    const { connection, clock, logger } = options;
    this.#channel = new LastingChannel({
      connection,
      clock,
      logger,
      purpose: "publishing",
      setUp: (channel) => this.#setUp(channel),
    });
    connection.on("connection.blocked", (reason: string) => {
      logger.warn({ reason }, "broker: RabbitMQ blocks publishing");
      this.#blocking.abort(unavailable(`RabbitMQ blocks publishing: ${reason}`));
    });
    connection.on("connection.unblocked", () => {
      logger.info({}, "broker: RabbitMQ accepts events again");
      this.#blocking = new AbortController();
    });
    connection.on("connection", () => {
      if (this.#blocking.signal.aborted) this.#blocking = new AbortController();
    });
  }

  open(): Promise<void> {
    return this.#channel.open();
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  /** Resolves when every message is confirmed. A type without a bound queue is not an error. */
  async publish(messages: readonly { type: string; message: OutgoingMessage }[]): Promise<void> {
    const channel = this.#ready();
    const confirms = messages.map(({ type, message }) =>
      channel.basicPublish({ ...message.properties, exchange: eventExchange, routingKey: type }, message.body),
    );
    await this.#withinTimeout(Promise.all(confirms), "publishing");
  }

  /** Resolves when a queue has the message. Rejects also if no queue is bound for it. */
  async move(exchange: string, routingKey: string, { properties, body }: OutgoingMessage): Promise<void> {
    const id = randomUUID();
    const headers = { ...properties.headers, [moveHeader]: id };
    const confirm = this.#ready().basicPublish({ ...properties, headers, exchange, routingKey, mandatory: true }, body);
    await this.#withinTimeout(confirm, "moving an event");
    // The broker returns the message before it confirms, but the library emits the event one turn of the event loop later.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#returned.delete(id)) throw new NoQueue(`no queue is bound to ${exchange} for ${routingKey}`);
  }

  async ping(timeoutMs: number): Promise<void> {
    const answer = this.#ready().exchangeDeclare({ exchange: eventExchange, passive: true });
    await this.#withinTimeout(answer, "asking", timeoutMs);
  }

  async #setUp(channel: Channel): Promise<void> {
    channel.on("basic.return", (message) => {
      const id = message.headers?.[moveHeader];
      if (id !== undefined) this.#returned.add(String(id));
    });
    await declareExchanges(channel);
    await channel.confirmSelect();
  }

  #ready(): Channel {
    const { aborted, reason } = this.#blocking.signal;
    if (aborted) throw reason;
    const channel = this.#channel.current;
    if (!channel) throw unavailable("there is no connection to RabbitMQ");
    return channel;
  }

  /** A confirm may never arrive: the broker stops reading before it reports that it is blocked, or the network loses the confirm. */
  async #withinTimeout(answer: Promise<unknown>, what: string, ms = this.#options.timeoutMs): Promise<void> {
    const { clock } = this.#options;
    const error = (): AppError => unavailable(`RabbitMQ did not respond within ${ms} ms (${what})`);
    try {
      await within(() => answer, { clock, ms, signal: this.#blocking.signal, error });
    } catch (error) {
      throw error instanceof AppError ? error : unavailable(`RabbitMQ failed (${what}): ${messageOf(error)}`, error);
    }
  }
}

/** The queue was removed under its consumer. */
export class NoQueue extends Error {
  override readonly name = "NoQueue";
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", message, { cause, dependency: "broker" });
}
