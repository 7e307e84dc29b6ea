import { AppError, type Clock } from "@appserver/kernel";
import { AMQPError, type Connection } from "rabbitmq-client";
import { deadLetterExchange } from "./topology.ts";

/** Exists while a process reads or counts dead letters. Only its connection sees it, and it goes with that. */
const turnQueue = `${deadLetterExchange}.reading`;
const pauseMs = 20;
const patienceMs = 5_000;

/**
 * Lets one at a time read or count dead letters, over all processes: AMQP has no way to read without taking, and what one
 * reader has taken another does not see, nor is it counted.
 */
export class DeadLetterTurns {
  readonly #connection: () => Connection;
  readonly #clock: Clock;
  /** Within a connection the queue keeps nobody out. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(connection: () => Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Throws SERVICE_UNAVAILABLE if others take too long. */
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
      // A connection that broke has taken its queue with it.
      await connection.queueDelete(turnQueue).catch(() => {});
    }
  }

  async #begin(connection: Connection): Promise<void> {
    for (const deadline = this.#clock.monotonic() + patienceMs; ; await this.#clock.sleep(pauseMs)) {
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
