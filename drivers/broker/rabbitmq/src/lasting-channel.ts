import { backoffMs, type Clock, type Logger } from "@appserver/kernel";
import type { Channel, Connection } from "rabbitmq-client";
import { refusalOf } from "./topology.ts";

export interface LastingChannelOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The purpose of the channel, for logs. */
  readonly purpose: string;
  /** Declares, binds and subscribes; runs on every new channel. */
  setUp(channel: Channel): Promise<void>;
}

const pauses = { firstMs: 100, maxMs: 5_000 };

/** A channel that is opened and set up again after every loss: of the connection, of its queue, or by an error on it. */
export class LastingChannel {
  readonly #options: LastingChannelOptions;
  readonly #closing = new AbortController();
  #current: Channel | undefined;
  /** Of the latest channel, also if it is not set up. */
  #gone: Promise<void> | undefined;

  constructor(options: LastingChannelOptions) {
    this.#options = options;
  }

  /** The channel if it is open and set up. */
  get current(): Channel | undefined {
    return this.#current?.active ? this.#current : undefined;
  }

  /**
   * Resolves when it is set up for the first time, or at once if the broker is unreachable: it is set up when the broker is
   * reachable. Rejects with an AppError if the broker refuses a declaration.
   */
  async open(): Promise<void> {
    const first = Promise.withResolvers<void>();
    void this.#keep(first);
    if (this.#options.connection.ready) await first.promise;
    else first.promise.catch(() => {});
  }

  /** Messages that are not acknowledged return to their queue. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#gone;
  }

  async #keep(first: PromiseWithResolvers<void>): Promise<void> {
    const { clock, logger, purpose } = this.#options;
    const signal = this.#closing.signal;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#useOne(() => {
          if (failures > 0) logger.info({ purpose }, "broker: the RabbitMQ channel is open again");
          failures = 0;
          first.resolve();
        });
      } catch (error) {
        failures += 1;
        this.#report(error, failures);
        const refusal = refusalOf(error);
        if (refusal) first.reject(refusal);
        else first.resolve();
      }
      await clock.sleep(backoffMs(failures + 1, pauses), signal).catch(() => {});
    }
  }

  /** Resolves when a channel that was set up has closed, for any reason. Rejects if no channel could be set up. */
  async #useOne(onSetUp: () => void): Promise<void> {
    const { connection, logger, purpose, setUp } = this.#options;
    const channel = await connection.acquire({ emitErrorsFromChannel: true });
    const gone = new Promise<void>((resolve) => channel.once("close", resolve));
    this.#gone = gone;
    channel.on("error", (error) => logger.warn({ err: error, purpose }, "broker: RabbitMQ closed a channel"));
    channel.on("basic.cancel", () => void channel.close());
    const abandon = (): void => void channel.close();
    this.#closing.signal.addEventListener("abort", abandon, { once: true });
    try {
      if (this.#closing.signal.aborted) return;
      await setUp(channel);
      this.#current = channel;
      onSetUp();
      await gone;
    } finally {
      this.#closing.signal.removeEventListener("abort", abandon);
      await channel.close();
    }
  }

  /** The connection logs an outage once. An operator must resolve a refusal. */
  #report(error: unknown, failures: number): void {
    const { logger, purpose } = this.#options;
    const refusal = refusalOf(error);
    if (refusal && failures === 1)
      logger.error({ err: refusal, purpose }, "broker: RabbitMQ refuses to declare the platform's exchanges and queues");
    else logger.debug({ err: error, purpose }, "broker: could not open a RabbitMQ channel; retrying");
  }
}
