import { backoffMs, type Clock, type Logger, messageOf, settledWithin } from "@appserver/kernel";
import type { EventEnvelope, EventHandler } from "@appserver/kernel/ports";
import type { AsyncMessage, Channel, Connection } from "rabbitmq-client";
import { asReceived, failuresOf, type OutgoingMessage, toDeadLetterMessage, toEvent, toMessage } from "./event-message.ts";
import { type EventPublisher, NoQueue } from "./event-publisher.ts";
import { LastingChannel } from "./lasting-channel.ts";
import { SubjectLane } from "./subject-lane.ts";
import { deadLetterExchange, declareEventQueue, declareExchanges, declareRetryDelay, retryExchange } from "./topology.ts";

export interface QueueConsumerOptions {
  readonly connection: Connection;
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly prefix: string;
  readonly types: readonly string[];
  readonly handler: EventHandler;
  readonly prefetch: number;
  readonly maxRetries: number;
  readonly retryDelayMs: (attempt: number) => number;
}

/** A message that the broker has delivered and that is not settled yet. */
interface Held {
  readonly id: string;
  readonly event: EventEnvelope;
  readonly queue: string;
  readonly attempt: number;
  readonly channel: Channel;
  readonly deliveryTag: number;
}

type Lane = SubjectLane<Held>;

const movePauses = { firstMs: 200, maxMs: 5_000 };

/**
 * Takes events of its queues, runs the handler on each, and settles them. An event leaves its queue only when the broker
 * has confirmed it in another queue: an event may be duplicated but is never lost.
 *
 * Events that were received on a channel that is lost run all the same. The broker delivers them again, but after a half-open
 * connection, or a crash of the broker, only after later ones.
 */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions;
  readonly #channel: LastingChannel;
  readonly #lanes = new Map<string, Lane>();
  /** Running handlers, and messages that are being moved to another queue. */
  readonly #work = new Set<Promise<void>>();
  /** Events that could run, but exceed the prefetch: the broker counts it per queue, and this consumer has several queues. */
  readonly #ready: { lane: Lane; held: Held }[] = [];
  #running = 0;
  #consumerTags: string[] = [];
  #nextSweep = 0;
  readonly #closing = new AbortController();
  readonly #closed = new AbortController();

  constructor(options: QueueConsumerOptions) {
    this.#options = options;
    const { connection, clock, logger, prefix, types } = options;
    const purpose = `consuming ${prefix}${types.length === 1 ? types[0] : "*"}`;
    this.#channel = new LastingChannel({ connection, clock, logger, purpose, setUp: (channel) => this.#setUp(channel) });
  }

  get queues(): readonly string[] {
    return this.#options.types.map((type) => this.#options.prefix + type);
  }

  open(): Promise<void> {
    return this.#channel.open();
  }

  /** Stops consuming, waits for handlers up to `timeoutMs`, then releases their events to other consumers. */
  async close(timeoutMs: number): Promise<void> {
    const { clock, logger } = this.#options;
    this.#closing.abort();
    this.#cancel();
    await settledWithin(this.#drained(), { clock, ms: timeoutMs });
    this.#closed.abort();
    if (this.#running > 0) {
      logger.warn(
        { unfinished: this.#running },
        "broker: event handlers did not finish in time; their events are delivered again",
      );
    }
    await this.#channel.close();
  }

  /** From now on the broker delivers new events to other consumers. */
  #cancel(): void {
    for (const consumerTag of this.#consumerTags) this.#channel.current?.basicCancel({ consumerTag }).catch(() => {});
  }

  async #drained(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  async #setUp(channel: Channel): Promise<void> {
    const { prefix, types, prefetch, maxRetries, retryDelayMs } = this.#options;
    this.#consumerTags = [];
    await declareExchanges(channel);
    const delays = Array.from({ length: maxRetries }, (_, failures) => retryDelayMs(failures + 1));
    for (const delayMs of new Set(delays)) await declareRetryDelay(channel, delayMs);
    for (const type of types) await declareEventQueue(channel, prefix + type, type);
    await channel.basicQos({ prefetchCount: prefetch });
    for (const type of types) {
      const queue = prefix + type;
      const { consumerTag } = await channel.basicConsume({ queue }, (message) => this.#arrived(channel, queue, message));
      this.#consumerTags.push(consumerTag);
    }
  }

  #arrived(channel: Channel, queue: string, message: AsyncMessage): void {
    // Events that arrive after the decision to close return with the channel.
    if (this.#closing.signal.aborted) return;
    const { rejections, returns } = failuresOf(message);
    const attempt = rejections + returns + 1;
    const { deliveryTag } = message;
    let event: EventEnvelope;
    try {
      event = toEvent(message);
    } catch (error) {
      const unreadable = { queue, channel, deliveryTag, id: message.messageId ?? "" };
      this.#track(this.#bury(unreadable, asReceived(message), attempt, messageOf(error)));
      return;
    }
    const held: Held = { id: event.id, event, queue, attempt, channel, deliveryTag };
    // Never rejected, but delivered again and again: it ends the processes of its consumers.
    if (returns > this.#options.maxRetries) {
      this.#track(this.#bury(held, toMessage(event), attempt - 1, "its consumers ended before they settled it"));
    } else {
      this.#takeTurn(held);
    }
  }

  #takeTurn(held: Held): void {
    const lane = this.#laneOf(held);
    const turn = lane.arrive(held, this.#options.clock.monotonic());
    if (turn === "run") this.#begin(lane, held);
    if (turn === "send-away") this.#track(this.#sendAway(held, lane.delayMs, held.attempt - 1));
  }

  #laneOf({ queue, event }: Held): Lane {
    const key = `${queue}\n${event.subject}`;
    const lane = this.#lanes.get(key) ?? new SubjectLane<Held>();
    this.#lanes.set(key, lane);
    return lane;
  }

  #begin(lane: Lane, held: Held): void {
    if (this.#running >= this.#options.prefetch) {
      this.#ready.push({ lane, held });
      return;
    }
    this.#running += 1;
    this.#track(this.#run(lane, held));
  }

  async #run(lane: Lane, held: Held): Promise<void> {
    const { handler, maxRetries } = this.#options;
    let failure: { error: unknown } | undefined;
    try {
      await handler({ event: held.event, attempt: held.attempt, queue: held.queue });
    } catch (error) {
      failure = { error };
    }
    if (!failure) {
      acknowledge(held);
      this.#goOn(lane);
    } else if (held.attempt > maxRetries) {
      await this.#bury(held, toMessage(held.event), held.attempt, messageOf(failure.error));
      this.#goOn(lane);
    } else {
      await this.#retreat(lane, held, failure.error);
    }
    this.#running -= 1;
    this.#beginReady();
  }

  /** Starts the next event of the subject, and settles copies of the event that has run. */
  #goOn(lane: Lane): void {
    const { next, copies } = lane.finish();
    for (const copy of copies) acknowledge(copy);
    if (next && !this.#closing.signal.aborted) this.#begin(lane, next);
    else this.#sweepLanes();
  }

  #beginReady(): void {
    if (this.#closing.signal.aborted) return;
    const first = this.#ready.shift();
    if (first) this.#begin(first.lane, first.held);
  }

  async #retreat(lane: Lane, failed: Held, error: unknown): Promise<void> {
    const { logger, clock, retryDelayMs } = this.#options;
    const delayMs = retryDelayMs(failed.attempt);
    const { queue, event, attempt } = failed;
    const fields = { err: error, queue, event: event.id, subject: event.subject, attempt, retryInMs: delayMs };
    logger.warn(fields, "broker: an event handler failed; retrying");
    const leaving = lane.retreat(delayMs, clock.monotonic());
    await Promise.all(leaving.map((held) => this.#sendAway(held, delayMs, held === failed ? held.attempt : held.attempt - 1)));
  }

  async #sendAway(held: Held, delayMs: number, rejections: number): Promise<void> {
    await this.#move(held, retryExchange(delayMs), toMessage(held.event, rejections));
  }

  async #bury(
    held: Omit<Held, "event" | "attempt">,
    original: OutgoingMessage,
    attempts: number,
    error: string,
  ): Promise<void> {
    const { clock, logger } = this.#options;
    const { queue, id } = held;
    logger.error({ queue, event: id, attempts, reason: error }, "broker: an event became a dead letter");
    const at = new Date(clock.now());
    await this.#move(held, deadLetterExchange, toDeadLetterMessage(original, { queue, attempts, error, at }));
  }

  /**
   * Publishes the message to the exchange, then acknowledges it. Retries until that works or the channel is closed. Then the
   * broker delivers the message again. An outage is not counted as an attempt.
   */
  async #move(held: Omit<Held, "event" | "attempt">, exchange: string, message: OutgoingMessage): Promise<void> {
    const { publisher, clock, logger } = this.#options;
    for (let failures = 1; held.channel.active && !this.#closed.signal.aborted; failures++) {
      try {
        await publisher.move(exchange, held.queue, message);
        return acknowledge(held);
      } catch (error) {
        if (failures === 1)
          logger.warn({ err: error, queue: held.queue }, "broker: could not move an event to another queue; retrying");
        // A new channel declares everything again.
        if (error instanceof NoQueue) await held.channel.close();
        await clock.sleep(backoffMs(failures, movePauses), this.#closed.signal).catch(() => {});
      }
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  #sweepLanes(): void {
    const now = this.#options.clock.monotonic();
    // Many subjects may wait at the same time, so not all of them are visited for every event.
    if (now < this.#nextSweep) return;
    this.#nextSweep = now + 1_000;
    for (const [key, lane] of this.#lanes) if (lane.isIdle(now)) this.#lanes.delete(key);
  }
}

/** A closed channel cannot acknowledge. The broker then delivers the event again, as at-least-once allows. */
function acknowledge({ channel, deliveryTag }: Pick<Held, "channel" | "deliveryTag">): void {
  if (channel.active) channel.basicAck({ deliveryTag });
}
