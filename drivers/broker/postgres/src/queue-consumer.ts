import { type Clock, every, type Logger, messageOf, settledWithin, uuidv7, WakeUp } from "@appserver/kernel";
import type { EventHandler } from "@appserver/kernel/ports";
import type { ClaimedMessage, MessageStore } from "./message-store.ts";

export interface QueueConsumerOptions {
  readonly store: MessageStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queues: readonly string[];
  readonly handler: EventHandler;
  readonly prefetch: number;
  readonly maxRetries: number;
  readonly retryDelayMs: (attempt: number) => number;
  readonly visibilityMs: number;
  readonly pollMs: number;
}

/** Takes messages of its queues, runs the handler on each, and settles them. */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions;
  /** Distinguishes the deliveries of this consumer from those of all others, also of dead ones. */
  readonly #claim = uuidv7();
  /** Messages whose claim must be extended: their handler runs, or its result is being stored. */
  readonly #held = new Set<number>();
  /** One for each claimed message that is not settled yet. */
  readonly #deliveries = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #closed = new AbortController();
  readonly #wakeUp: WakeUp;
  readonly #loops: Promise<unknown>;

  constructor(options: QueueConsumerOptions) {
    this.#options = options;
    this.#wakeUp = new WakeUp(options.clock, this.#closing.signal);
    this.#loops = Promise.all([this.#takeMessages(), this.#keepClaims()]);
  }

  /** Notifies the consumer that messages may be due. */
  wake(): void {
    this.#wakeUp.wake();
  }

  /** Stops claiming, waits for handlers up to `timeoutMs`, then releases their messages to other consumers. */
  async close(timeoutMs: number): Promise<void> {
    const { clock, store, logger } = this.#options;
    this.#closing.abort();
    // Claims are extended until then, so that no other process runs the same handlers.
    await settledWithin(this.#drained(), { clock, ms: timeoutMs });
    this.#closed.abort();
    await this.#loops;
    if (this.#held.size === 0) return;
    logger.warn(
      { unfinished: this.#held.size },
      "broker: event handlers did not finish in time; their events are delivered again",
    );
    await store.release(this.#claim, [...this.#held], 0).catch(() => {});
  }

  async #drained(): Promise<void> {
    while (this.#deliveries.size > 0) await Promise.all(this.#deliveries);
  }

  async #takeMessages(): Promise<void> {
    const { store, clock, logger, queues, prefetch, visibilityMs, pollMs } = this.#options;
    const signal = this.#closing.signal;
    let failing = false;
    while (!signal.aborted) {
      const capacity = prefetch - this.#deliveries.size;
      if (capacity === 0) {
        await this.#wakeUp.pause(pollMs);
        continue;
      }
      try {
        this.#wakeUp.reset();
        const messages = await store.claim(queues, this.#claim, capacity, visibilityMs);
        if (failing) logger.info({ queues }, "broker: reading the queues works again");
        failing = false;
        for (const message of messages) this.#begin(message);
        // A full batch may have left due messages. A smaller one left none.
        if (messages.length < capacity) await this.#wakeUp.pause(pollMs);
      } catch (error) {
        if (!failing) logger.warn({ err: error, queues }, "broker: could not read the queues; retrying");
        failing = true;
        await clock.sleep(pollMs, signal).catch(() => {});
      }
    }
  }

  #begin(message: ClaimedMessage): void {
    // Due again while its handler still runs here: the claim expired unnoticed, as in a stalled process. The running
    // delivery settles the message.
    if (this.#held.has(message.id)) return;
    this.#held.add(message.id);
    const delivery = this.#deliver(message).finally(() => {
      this.#held.delete(message.id);
      this.#deliveries.delete(delivery);
      // There is room for another message, and the next one of the subject may be due.
      this.#wakeUp.wake();
    });
    this.#deliveries.add(delivery);
  }

  async #deliver(message: ClaimedMessage): Promise<void> {
    const { store, handler, maxRetries } = this.#options;
    const { id, attempt, event, queue } = message;
    // Never rejected, but delivered too often: it ends the processes of its consumers.
    if (attempt > maxRetries + 1) {
      return this.#settle(message, () =>
        store.bury(this.#claim, id, attempt - 1, "its consumers ended before they settled it"),
      );
    }
    try {
      await handler({ event, attempt, queue });
    } catch (error) {
      return this.#reject(message, error);
    }
    await this.#settle(message, () => store.acknowledge(this.#claim, id));
  }

  async #reject(message: ClaimedMessage, error: unknown): Promise<void> {
    const { store, logger, maxRetries, retryDelayMs } = this.#options;
    const { id, attempt, queue, event } = message;
    const reason = messageOf(error);
    const fields = { err: error, queue, event: event.id, subject: event.subject, attempt };
    if (attempt > maxRetries) {
      logger.error(fields, "broker: an event became a dead letter");
      return this.#settle(message, () => store.bury(this.#claim, id, attempt, reason));
    }
    const delay = retryDelayMs(attempt);
    logger.warn({ ...fields, retryInMs: delay }, "broker: an event handler failed; retrying");
    // As soon as it is released, any consumer may receive it again, also this one.
    this.#held.delete(id);
    await this.#settle(message, () => store.release(this.#claim, [id], delay));
    this.#wakeUp.wakeIn(delay);
  }

  /** A message that cannot be settled is delivered again when its claim expires: at least once. */
  async #settle(message: ClaimedMessage, settle: () => Promise<void>): Promise<void> {
    const { clock, logger } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await settle();
      } catch (error) {
        if (attempt === 5 || this.#closed.signal.aborted) {
          logger.warn(
            { err: error, queue: message.queue },
            "broker: could not store the result of an event; it is delivered again",
          );
          return;
        }
        await clock.sleep(200 * attempt, this.#closed.signal).catch(() => {});
      }
    }
  }

  #keepClaims(): Promise<void> {
    const { store, clock, logger, visibilityMs } = this.#options;
    return every({
      clock,
      signal: this.#closed.signal,
      intervalMs: visibilityMs / 3,
      first: "after a pause",
      run: () => this.#held.size > 0 && store.extend(this.#claim, [...this.#held], visibilityMs),
      onError: (error) => logger.debug({ err: error }, "broker: could not extend the claims of events"),
    });
  }
}
