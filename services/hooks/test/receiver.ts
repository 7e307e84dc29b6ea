import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface ReceivedPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A server that receives POSTs of notification targets, and can be away. */
export class Receiver {
  /** Those that it responded to with 200. */
  readonly accepted: ReceivedPost[] = [];
  /** The number of those that it refused. */
  refused = 0;
  status = 200;
  headers: Readonly<Record<string, string>> = {};
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/events?key=1`;
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      void buffer(request).then((body) => {
        if (this.status === 200) this.accepted.push({ path: request.url ?? "", headers: request.headers, body });
        else this.refused += 1;
        response.writeHead(this.status, { connection: "close", ...this.headers }).end();
      });
    });
    await once(this.#server.listen(this.#port, "127.0.0.1"), "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Connections are refused from now on. */
  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => (this.#server ? this.#server.close(() => resolve()) : resolve()));
    this.#server = undefined;
  }
}
