import type { Duplex } from "node:stream";
import { type Clock, clientNetwork } from "@appserver/kernel";
import type { UnavailableApp } from "../../ports.ts";
import type { ProxiedRequest } from "./proxied-request.ts";
import { unavailable } from "./unavailable.ts";

/** Maximum number of waiting requests, and how long each waits (docs/interface/limits.md#proxied-requests). */
const limits = { perApp: 1_000, inAll: 10_000, perClient: 250, waitMs: 30_000 } as const;

type UnavailableReason = Pick<UnavailableApp, "name" | "reason" | "retryAfterSeconds">;

/** One reason for all aborts. Without it, each abort would create an error with a stack. */
const released = "released";

/**
 * Requests to apps that are being replaced, which wait before their callers are identified and before their bodies are read, and to
 * apps that are being woken.
 */
export class BufferedRequests {
  readonly #clock: Clock;
  readonly #byApp = new Map<string, Set<AbortController>>();
  /** By address, because callers are not identified yet. */
  readonly #byClient = new Map<string, number>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when the app has changed or the client has gone away. Refuses if too many requests wait already, and when the
   * request is `waitMs` old.
   */
  async wait(
    { response, upgrade, startedAt, remoteAddress }: ProxiedRequest,
    app: UnavailableReason,
    waitMs: number = limits.waitMs,
  ): Promise<void> {
    const waiting = this.#byApp.get(app.name) ?? new Set();
    const leftMs = startedAt + waitMs - this.#clock.monotonic();
    const client = clientNetwork(remoteAddress);
    const ofClient = this.#byClient.get(client) ?? 0;
    const isFull = waiting.size >= limits.perApp || this.#count >= limits.inAll || ofClient >= limits.perClient;
    if (isFull || leftMs <= 0) throw unavailable(app);
    const over = new AbortController();
    const end = (): void => over.abort(released);
    this.#byApp.set(app.name, waiting.add(over));
    this.#count += 1;
    this.#byClient.set(client, ofClient + 1);
    response.onClose(end);
    const unwatch = upgrade && destroyAtEnd(upgrade.socket);
    const isTooLate = await this.#clock.sleep(leftMs, over.signal).then(
      () => true,
      () => false,
    );
    unwatch?.();
    this.#leave(app.name, waiting, over);
    this.#leaveClient(client);
    if (isTooLate) throw unavailable(app);
  }

  isWaiting(appName: string): boolean {
    return this.#byApp.has(appName);
  }

  /** Ends the wait of every request to the app. */
  release(appName: string): void {
    for (const over of this.#byApp.get(appName) ?? []) over.abort(released);
  }

  #leave(appName: string, waiting: Set<AbortController>, over: AbortController): void {
    waiting.delete(over);
    this.#count -= 1;
    if (waiting.size === 0 && this.#byApp.get(appName) === waiting) this.#byApp.delete(appName);
  }

  #leaveClient(client: string): void {
    const left = (this.#byClient.get(client) ?? 0) - 1;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
  }
}

/** Node leaves an upgraded socket half open when its client closes it, and reports that only to a reader. */
function destroyAtEnd(socket: Duplex): () => void {
  const onEnd = (): void => void socket.destroy();
  const onReadable = (): void => {
    // Reads only the end of the stream. The data is for the upstream.
    if (socket.readableLength === 0) socket.read();
  };
  socket.on("end", onEnd).on("readable", onReadable);
  return () => socket.removeListener("end", onEnd).removeListener("readable", onReadable);
}
