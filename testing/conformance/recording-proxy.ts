import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Dispatcher, request } from "undici";
import type { RecordedCall } from "./openapi-document.ts";

/** Forwards every call to a real server unchanged and records requests and responses. */
export class RecordingProxy {
  readonly url: string;
  readonly calls: RecordedCall[] = [];
  readonly #server: ReturnType<typeof createServer>;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(upstream: string): Promise<RecordingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const proxy = new RecordingProxy(server);
    server.on("request", (incoming, outgoing) => {
      proxy.#pass(upstream, incoming, outgoing).catch(() => outgoing.destroy());
    });
    return proxy;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(upstream: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { url: target = "/", headers } = incoming;
    const method = (incoming.method ?? "GET") as Dispatcher.HttpMethod;
    const { connection: _, "transfer-encoding": __, ...kept } = headers;
    const answer = await request(`${upstream}${target}`, { method, headers: kept, ...(body.length > 0 ? { body } : {}) });
    const text = await answer.body.text();
    this.calls.push({ method, target, headers, body: body.toString(), status: answer.statusCode, answer: text });
    outgoing.writeHead(answer.statusCode, { "content-type": String(answer.headers["content-type"]) });
    outgoing.end(text);
  }
}
