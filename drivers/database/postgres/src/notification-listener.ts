import { backoffMs, type Clock, type Logger, singleFlight } from "@appserver/kernel";
import { type ChannelSubscription, DatabaseError } from "@appserver/kernel/ports";
import pg from "pg";
import { toDatabaseError } from "./postgres-errors.ts";

interface Listener {
  readonly onNotification: (payload: string) => void;
  readonly onReconnect: (() => void) | undefined;
}

/** How long a response of the server proves that everything before was heard. */
const provenMs = 900;
const proofIntervalMs = 400;
/** A connection that does not respond in this time is given up. */
const answerMs = 5_000;
/** The connection is checked until no listener has asked for this long. */
const provingMs = 60_000;
const reconnects = { firstMs: 50, maxMs: 5_000 };

/**
 * Receives all LISTEN channels of one process over a dedicated connection, because a pooled connection would lose them when it
 * is replaced. Opens a lost connection again with back-off while a listener exists.
 */
export class NotificationListener {
  readonly #config: pg.ClientConfig;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #channels = new Map<string, Set<Listener>>();
  readonly #closed = new AbortController();
  #client: pg.Client | undefined;
  readonly #opened = singleFlight(() => this.#open());
  #statement: Promise<unknown> = Promise.resolve();
  /** Monotonic milliseconds at which the last statement began to which the server has responded. */
  #provenAt = Number.NEGATIVE_INFINITY;
  /** Monotonic milliseconds at which a listener asked last. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #isProving = false;
  /** Whether notifications were missed of which the listeners do not know yet. */
  #hasMissed = false;

  constructor(config: pg.ClientConfig, clock: Clock, logger: Logger) {
    this.#config = config;
    this.#clock = clock;
    this.#logger = logger;
  }

  async listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect?: () => void,
  ): Promise<ChannelSubscription> {
    const listener = { onNotification, onReconnect };
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(listener));
    try {
      const client = await this.#connected();
      await this.#run(client, `LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      this.#remove(channel, listener);
      throw toDatabaseError(error);
    }
    return { hears: () => this.#hears(), close: () => this.#unlisten(channel, listener) };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#channels.clear();
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  #hears(): boolean {
    const now = this.#clock.monotonic();
    this.#askedAt = now;
    if (!this.#isProving) void this.#prove();
    return this.#client !== undefined && !this.#hasMissed && now - this.#provenAt < provenMs;
  }

  /** The server sends the notifications of earlier transactions before it responds to a statement. */
  async #prove(): Promise<void> {
    this.#isProving = true;
    try {
      while (this.#clock.monotonic() - this.#askedAt < provingMs && !this.#closed.signal.aborted) {
        const client = this.#client;
        const begunAt = this.#clock.monotonic();
        if (client) await this.#run(client, "select 1", answerMs);
        if (client && this.#client === client) this.#provenAt = begunAt;
        await this.#clock.sleep(proofIntervalMs, this.#closed.signal);
      }
    } catch (error) {
      this.#logger.debug({ err: error }, "database: the connection for notifications does not respond");
      // Then it is opened again, and what was missed is known.
      this.#client?.connection.stream.destroy();
    } finally {
      this.#isProving = false;
    }
  }

  async #unlisten(channel: string, listener: Listener): Promise<void> {
    const last = this.#remove(channel, listener);
    // A connection that is being lost has no channels to unlisten.
    const client = this.#client;
    if (last && client) await this.#run(client, `UNLISTEN ${pg.escapeIdentifier(channel)}`).catch(() => {});
  }

  /** Runs one statement after the other, because the client library will remove its own queue. */
  #run(client: pg.Client, text: string, timeoutMs?: number): Promise<unknown> {
    const statement = { text, ...(timeoutMs !== undefined && { query_timeout: timeoutMs }) };
    const done = this.#statement.then(() => client.query(statement));
    this.#statement = done.catch(() => {});
    return done;
  }

  #remove(channel: string, listener: Listener): boolean {
    const listeners = this.#channels.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return false;
    return this.#channels.delete(channel);
  }

  async #connected(): Promise<pg.Client> {
    return this.#client ?? this.#opened();
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    client.on("error", (error) => this.#logger.debug({ err: error }, "database: the connection for notifications failed"));
    client.on("notification", ({ channel, payload }) => this.#dispatch(channel, payload ?? ""));
    client.once("end", () => this.#lost(client));
    try {
      await client.connect();
      for (const channel of this.#channels.keys()) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      this.#closed.signal.throwIfAborted();
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    return client;
  }

  #dispatch(channel: string, payload: string): void {
    for (const listener of this.#channels.get(channel) ?? []) {
      try {
        listener.onNotification(payload);
      } catch (error) {
        this.#logger.error({ err: error, channel }, "database: a notification handler failed");
      }
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#provenAt = Number.NEGATIVE_INFINITY;
    this.#hasMissed = true;
    if (this.#closed.signal.aborted) return;
    const err = new DatabaseError("unavailable", "the server ended the connection for notifications");
    this.#logger.warn({ err }, "database: lost the connection for notifications; reconnecting");
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let attempt = 1; !this.#closed.signal.aborted; attempt += 1) {
      try {
        await this.#clock.sleep(backoffMs(attempt, reconnects), this.#closed.signal);
        if (this.#channels.size === 0) {
          this.#hasMissed = false;
          return;
        }
        await this.#connected();
      } catch (error) {
        this.#logger.debug({ err: error }, "database: could not reconnect for notifications; retrying");
        continue;
      }
      this.#reconnected();
      return;
    }
  }

  #reconnected(): void {
    this.#hasMissed = false;
    for (const [channel, listeners] of this.#channels) {
      for (const { onReconnect } of listeners) {
        try {
          onReconnect?.();
        } catch (error) {
          this.#logger.error({ err: error, channel }, "database: a handler of a reconnection failed");
        }
      }
    }
  }
}
