import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Caller, Clock, LiveConnections, Logger, MaybePromise, ServerSentEvent } from "@appserver/kernel";
import { every } from "@appserver/kernel";
import { SubscriptionOverflowError } from "../events/index.ts";

export interface OpenStreamsOptions {
  readonly connections: Pick<LiveConnections, "join">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time between comments, which keep proxies from closing a silent stream. Default 15 s. */
  readonly keepAliveMs?: number;
}

export interface StreamedEvents {
  readonly events: AsyncIterable<ServerSentEvent>;
  readonly caller: Caller;
  /** Writes the head of the response. */
  begin(): void;
  /** Throws or rejects if the caller would be refused now. */
  check(): MaybePromise<void>;
  /** Ends the events. */
  end(): void;
}

/** How long a client waits before it connects again. */
const retryMs = 2_000;

/** The open event streams. Their callers are checked again while they are open. */
export class OpenStreams {
  readonly #options: Required<OpenStreamsOptions>;
  readonly #open = new Set<() => void>();

  constructor(options: OpenStreamsOptions) {
    this.#options = { keepAliveMs: 15_000, ...options };
  }

  /**
   * Sends the events until the client leaves, the events end or the caller may not receive them any more. Rejects with
   * RATE_LIMIT_EXCEEDED, before the head is written, if the caller has too many streams open.
   */
  async send(response: ServerResponse, { events, caller, begin, check, end }: StreamedEvents): Promise<void> {
    const { connections, logger } = this.#options;
    const gone = new AbortController();
    const close = (): void => {
      end();
      gone.abort();
      response.end();
    };
    const leave = connections.join({ caller, check, end: close });
    begin();
    response.once("close", close);
    this.#open.add(close);
    try {
      await this.#write(response, `retry: ${retryMs}\n\n`, gone.signal);
      this.#keepAlive(response, gone.signal);
      for await (const { id, data } of events)
        await this.#write(response, `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`, gone.signal);
    } catch (error) {
      // A client that fell behind connects again and gets what it missed.
      const isForeseen = gone.signal.aborted || error instanceof SubscriptionOverflowError;
      if (!isForeseen) logger.error({ err: error }, "rest: an event stream failed");
    } finally {
      leave();
      this.#open.delete(close);
      close();
    }
  }

  /** Ends all streams: the server stops. */
  drain(): void {
    for (const close of this.#open) close();
  }

  #keepAlive(response: ServerResponse, signal: AbortSignal): void {
    const { clock, keepAliveMs: intervalMs, logger } = this.#options;
    void every({
      clock,
      signal,
      intervalMs,
      first: "after a pause",
      run: async () => void response.write(":\n\n"),
      onError: (error) => logger.debug({ err: error }, "rest: an event stream failed"),
    });
  }

  /** Waits while the client is slower than the events. Rejects after the end, where Node would raise an error outside of any call. */
  async #write(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!response.write(text)) await once(response, "drain", { signal });
  }
}
