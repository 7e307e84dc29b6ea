import { eventExchange } from "@appserver/contracts/events";
import type { Clock, Logger } from "@appserver/kernel";
import type { EventEnvelope, Subscription } from "@appserver/kernel/ports";
import type { AsyncMessage, Channel, Connection } from "rabbitmq-client";
import { toEvent } from "./event-message.ts";
import { LastingChannel } from "./lasting-channel.ts";
import { declareExchanges } from "./topology.ts";

export interface InstanceQueueOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Id of this process; the queue is `appserver.instance.<id>`. */
  readonly instanceId: string;
}

interface Observer {
  readonly types: ReadonlySet<string>;
  readonly handler: (event: EventEnvelope) => void;
}

/**
 * The queue of this process, for events that every replica must receive (docs/interface/events.md#observers). It is exclusive
 * and auto-deleted: it ends with the connection, and the next connection declares and binds it again.
 */
export class InstanceQueue {
  readonly #options: InstanceQueueOptions;
  readonly #queue: string;
  readonly #channel: LastingChannel;
  readonly #observers = new Set<Observer>();
  /** Set before the bindings are made, so that an observer added in between makes its own binding. */
  #declaredOn: Channel | undefined;
  #opened: Promise<void> | undefined;

  constructor(options: InstanceQueueOptions) {
    this.#options = options;
    const { connection, clock, logger, instanceId } = options;
    this.#queue = `appserver.instance.${instanceId}`;
    this.#channel = new LastingChannel({
      connection,
      clock,
      logger,
      purpose: "observing",
      setUp: (channel) => this.#setUp(channel),
    });
  }

  /** Resolves when events of the types arrive from now on, or at once while the broker is unavailable. */
  async observe(types: readonly string[], handler: (event: EventEnvelope) => void): Promise<Subscription> {
    const observer = { types: new Set(types), handler };
    this.#observers.add(observer);
    this.#opened ??= this.#channel.open();
    await this.#opened;
    if (this.#declaredOn?.active) await this.#bind(this.#declaredOn, types);
    return { close: () => this.#forget(observer) };
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  async #setUp(channel: Channel): Promise<void> {
    await declareExchanges(channel);
    await channel.queueDeclare({ queue: this.#queue, exclusive: true, autoDelete: true });
    await channel.basicConsume({ queue: this.#queue, noAck: true, exclusive: true }, (message) => this.#arrived(message));
    this.#declaredOn = channel;
    await this.#bind(
      channel,
      [...this.#observers].flatMap(({ types }) => [...types]),
    );
  }

  async #bind(channel: Channel, types: readonly string[]): Promise<void> {
    for (const type of new Set(types)) {
      await channel.queueBind({ queue: this.#queue, exchange: eventExchange, routingKey: type });
    }
  }

  async #forget(observer: Observer): Promise<void> {
    this.#observers.delete(observer);
    const channel = this.#declaredOn;
    for (const type of observer.types) {
      const wanted = this.#observers.values().some(({ types }) => types.has(type));
      if (wanted || !channel?.active) continue;
      // A remaining binding is harmless: its events have no observer here.
      await channel.queueUnbind({ queue: this.#queue, exchange: eventExchange, routingKey: type }).catch(() => {});
    }
  }

  #arrived(message: AsyncMessage): void {
    const { logger } = this.#options;
    let event: EventEnvelope;
    try {
      event = toEvent(message);
    } catch (error) {
      logger.warn({ err: error, type: message.routingKey }, "broker: ignored an invalid event");
      return;
    }
    for (const { types, handler } of this.#observers) {
      if (!types.has(event.type)) continue;
      try {
        handler(event);
      } catch (error) {
        logger.error({ err: error, event: event.id }, "broker: an event observer failed");
      }
    }
  }
}
