import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import WebSocket from "ws";

interface ProxyOptions {
  readonly port: number;
  readonly ca: Buffer;
}

const name = "platform.example.com";

/** A client of the proxy in front of the platform, by the platform's name. */
export class ProxyClient {
  readonly #options: ProxyOptions;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  /** Returns the status of a POST that comes from `address`, a loopback address. */
  async attempt(path: string, address: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
    const target = { host: "127.0.0.1", servername: name, path, localAddress: address, agent: false, ...this.#options };
    const json = { host: name, "content-type": "application/json" };
    const outgoing = request({ ...target, method: "POST", headers: { ...json, ...headers } });
    outgoing.end("{}");
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  }

  /** Returns whether the platform accepts a WebSocket of GraphQL with this session. */
  async acknowledged(token: string): Promise<boolean> {
    const { port, ca } = this.#options;
    const tls = { ca, servername: name, headers: { host: name } };
    const socket = new WebSocket(`wss://127.0.0.1:${port}/graphql`, "graphql-transport-ws", tls);
    try {
      await once(socket, "open");
      socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${token}` } }));
      const [message] = (await once(socket, "message")) as [Buffer];
      return (JSON.parse(message.toString()) as { readonly type: string }).type === "connection_ack";
    } finally {
      socket.terminate();
    }
  }
}
