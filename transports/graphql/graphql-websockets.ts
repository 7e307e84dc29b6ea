import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { AppError, type RequestContext } from "@appserver/kernel";
import { type WebSocket, WebSocketServer } from "ws";
import { NodeRequest } from "../http/node-request.ts";
import type { Origins } from "../http/origins.ts";
import { LegacyWsProtocol } from "./legacy-ws-protocol.ts";
import { TransportWsProtocol } from "./transport-ws-protocol.ts";
import { closeCodes, closeSocket, type SocketOptions } from "./websocket-operations.ts";

/** In order of preference. */
const subprotocols = ["graphql-transport-ws", "graphql-ws"] as const;

/** Number of unanswered pings that end a socket that is not read. */
const pingsWhilePaused = 6;

/** Serves GraphQL over WebSockets with both subprotocols (docs/interface/graphql.md#subprotocols). */
export class GraphqlWebSockets {
  readonly #server: WebSocketServer;
  readonly #origins: Origins;
  readonly #keepAliveMs: number;
  readonly #protocols: Readonly<Record<(typeof subprotocols)[number], TransportWsProtocol | LegacyWsProtocol>>;

  constructor(options: SocketOptions & { readonly origins: Origins }) {
    this.#origins = options.origins;
    this.#keepAliveMs = options.keepAliveMs;
    this.#protocols = { "graphql-transport-ws": new TransportWsProtocol(options), "graphql-ws": new LegacyWsProtocol(options) };
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: 1_048_576,
      perMessageDeflate: false,
      handleProtocols: (offered) => subprotocols.find((protocol) => offered.has(protocol)) ?? false,
    });
  }

  /** Throws PERMISSION_DENIED for pages of other origins, INVALID_REQUEST if the client offers no known subprotocol. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): void {
    if (!this.#origins.admits(new NodeRequest(request))) throw new AppError("PERMISSION_DENIED", "this origin is not allowed");
    const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
    if (!subprotocols.some((protocol) => offered.includes(protocol))) {
      throw new AppError("INVALID_REQUEST", `offer a subprotocol: ${subprotocols.join(" or ")}`);
    }
    this.#server.handleUpgrade(request, socket, head, (client) => {
      client.on("error", () => client.terminate());
      this.#ping(client);
      this.#protocols[client.protocol as (typeof subprotocols)[number]].opened(client, request, context);
    });
  }

  /** Number of open WebSockets. */
  get open(): number {
    return this.#server.clients.size;
  }

  drain(): void {
    for (const client of this.#server.clients) closeSocket(client, closeCodes.goingAway, "Going away");
  }

  /**
   * Terminates a client that did not respond to the last ping. A paused socket gets more pings, because its pong waits behind its
   * messages.
   */
  #ping(client: WebSocket): void {
    let unanswered = 0;
    client.on("pong", () => {
      unanswered = 0;
    });
    const timer = setInterval(() => {
      if (unanswered >= (client.isPaused ? pingsWhilePaused : 1)) return client.terminate();
      unanswered += 1;
      client.ping();
    }, this.#keepAliveMs);
    client.once("close", () => clearInterval(timer));
  }
}
