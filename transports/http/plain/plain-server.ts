import type { Socket } from "node:net";
import type { SlowBodies } from "../slow-bodies.ts";
import { PlainConnection } from "./plain-connection.ts";
import type { PlainHandler, PlainLimits } from "./plain-handler.ts";

/** Number of looks at a connection within the shortest of its time limits. */
const looksPerTimeout = 10;
const longestLookMs = 2_000;
const shortestLookMs = 10;

/**
 * Serves the requests that every parser reads in the same way, on sockets, and hands a connection with any other request over to Node's
 * server, at that request. Most requests of a platform are plain, and the layers of Node's server would be a third of their cost.
 */
export class PlainServer<Route> {
  readonly #handler: PlainHandler<Route>;
  readonly #limits: PlainLimits;
  readonly #slowBodies: SlowBodies;
  readonly #keepAlive: string;
  readonly #connections = new Set<PlainConnection<Route>>();
  #timer: NodeJS.Timeout | undefined;

  /** `slowBodies` counts those of the whole port. */
  constructor(handler: PlainHandler<Route>, limits: PlainLimits, slowBodies: SlowBodies) {
    this.#handler = handler;
    this.#limits = limits;
    this.#slowBodies = slowBodies;
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(limits.idleTimeoutMs / 1_000)}\r\n`;
  }

  /**
   * Takes a new connection. `handOver` gets it, paused and with the unread bytes in front, if it has another request: `isFirst` if
   * nothing of it was read before.
   */
  accept(socket: Socket, isEncrypted: boolean, handOver: (socket: Socket, isFirst: boolean) => void): void {
    const connection: PlainConnection<Route> = new PlainConnection({
      handler: this.#handler,
      limits: this.#limits,
      slowBodies: this.#slowBodies,
      keepAlive: this.#keepAlive,
      socket,
      isEncrypted,
      handOver,
      onLeave: () => this.#leave(connection),
    });
    this.#connections.add(connection);
    this.#timer ??= setInterval(() => this.#look(), this.#lookMs()).unref();
  }

  /** Closes the connections that have no request. */
  drain(): void {
    for (const connection of this.#connections) connection.closeIfIdle();
  }

  #leave(connection: PlainConnection<Route>): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.look(now);
  }

  #lookMs(): number {
    const { headersTimeoutMs, readTimeoutMs, idleTimeoutMs, writeTimeoutMs } = this.#limits;
    const limits = [headersTimeoutMs, readTimeoutMs, idleTimeoutMs, writeTimeoutMs].filter((limit) => limit > 0);
    const shortest = Math.min(...limits) / looksPerTimeout;
    return Math.min(longestLookMs, Math.max(shortestLookMs, shortest));
  }
}
