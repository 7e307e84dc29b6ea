import { AppError, type Clock } from "@appserver/kernel";
import { AMQPError, type Connection } from "rabbitmq-client";
import { deadLetterExchange } from "./topology.ts";

/** Exists while a process reads or counts dead letters. It is exclusive to its connection and ends with it. */
const turnQueue = `${deadLetterExchange}.reading`;
const pauseMs = 20;
const timeoutMs = 5_000;

/**
 * Allows only one reader or counter of dead letters at a time, over all processes. AMQP cannot read messages without taking
 * them, and messages taken by one reader are neither visible to nor counted by another.
 */
export class DeadLetterTurns {
  readonly #connection: () => Connection;
  readonly #clock: Clock;
  /** Serializes readers within this connection, for which the exclusive queue gives no exclusion. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(connection: () => Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Throws SERVICE_UNAVAILABLE if other readers take too long. */
  take<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#run(work));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#connection();
    await this.#begin(connection);
    try {
      return await work(connection);
    } finally {
      // A broken connection has already deleted its queue.
      await connection.queueDelete(turnQueue).catch(() => {});
    }
  }

  async #begin(connection: Connection): Promise<void> {
    for (const deadline = this.#clock.monotonic() + timeoutMs; ; await this.#clock.sleep(pauseMs)) {
      try {
        await connection.queueDeclare({ queue: turnQueue, exclusive: true, autoDelete: false });
        return;
      } catch (error) {
        if (!(error instanceof AMQPError && error.code === "RESOURCE_LOCKED")) throw error;
        if (this.#clock.monotonic() > deadline)
          throw new AppError("SERVICE_UNAVAILABLE", "another process is reading dead letters", { cause: error });
      }
    }
  }
}
