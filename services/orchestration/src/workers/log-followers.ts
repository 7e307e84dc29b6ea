import { AppError, type Clock, type Component, type Logger, uuidv7 } from "@appserver/kernel";
import type { Broker, Subscription } from "@appserver/kernel/ports";
import { type LogsRequested, logChunkType, logsRequested, logsRequestedBody, readLogChunk } from "../domain/log-messages.ts";
import { refusalOfReader } from "../domain/log-share.ts";
import type { LogEntry, LogQuery, LogReader } from "../ports.ts";
import { LogFollower } from "./log-follower.ts";

export interface LogFollowersDeps {
  readonly broker: Pick<Broker, "publish" | "observe">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `/appserver/<instance>` */
  readonly source: string;
}

/** Reads logs for the callers of this replica. */
export class LogFollowers implements Component, LogReader {
  readonly name = "logs";
  readonly #deps: LogFollowersDeps;
  readonly #replica: string = uuidv7();
  readonly #followers = new Map<string, LogFollower>();
  #subscription: Subscription | undefined;

  constructor(deps: LogFollowersDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#subscription ??= await this.#deps.broker.observe([logChunkType(this.#replica)], ({ body }) => {
      const chunk = readLogChunk(body);
      if (chunk) this.#followers.get(chunk.stream)?.arrived(chunk);
    });
  }

  async stop(): Promise<void> {
    for (const follower of this.#followers.values()) follower.end();
    await this.#subscription?.close();
  }

  /** Yields a log. Throws RATE_LIMIT_EXCEEDED if too many are read, by all callers or by this one. */
  async *read(query: LogQuery, signal: AbortSignal, isServed: () => Promise<boolean>): AsyncGenerator<LogEntry> {
    const present = [...this.#followers.values()].map(({ reader }) => reader);
    const refusal = refusalOfReader(present, query.reader);
    if (refusal !== undefined) throw new AppError("RATE_LIMIT_EXCEEDED", refusal, { details: { retry_after: 10 } });
    const { clock, logger } = this.#deps;
    const publish = (request: LogsRequested): Promise<void> => this.#publish(request);
    const follower = new LogFollower({ replica: this.#replica, clock, logger, publish }, query);
    this.#followers.set(follower.stream, follower);
    try {
      yield* follower.entries(signal, isServed);
    } finally {
      this.#followers.delete(follower.stream);
    }
  }

  async #publish(request: LogsRequested): Promise<void> {
    const { broker, clock, source } = this.#deps;
    const time = new Date(clock.now()).toISOString();
    const envelope = { id: uuidv7(), type: logsRequested, source, subject: request.appName, time };
    await broker.publish([{ ...envelope, body: logsRequestedBody(request) }]);
  }
}
