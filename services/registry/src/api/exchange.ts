import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RequestContext } from "@appserver/kernel";

type Headers = Readonly<Record<string, string | number>>;

const ownHeaders = {
  "docker-distribution-api-version": "registry/2.0",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "x-content-type-options": "nosniff",
} as const;

/** One request with its response. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly context: RequestContext;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, context: RequestContext) {
    const url = request.url ?? "/";
    const at = url.indexOf("?");
    this.request = request;
    this.method = request.method ?? "GET";
    this.path = at < 0 ? url : url.slice(0, at);
    this.query = new URLSearchParams(at < 0 ? "" : url.slice(at));
    this.context = context;
    this.#response = response;
  }

  get isHeadSent(): boolean {
    return this.#response.headersSent;
  }

  /** Whether the client has left. */
  get isOver(): boolean {
    // On HTTP/2 only the request shows it.
    return this.#response.destroyed || this.request.aborted;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** Yields the body. A loop that ends early leaves the connection as it is, so that a response can follow. */
  body(): AsyncIterable<Uint8Array> {
    return this.request.iterator({ destroyOnReturn: false });
  }

  /** Sends a whole response. Of a request whose body was not read to its end, the connection is closed. */
  send(status: number, headers: Headers, body: Uint8Array | string = ""): void {
    const length = Buffer.byteLength(body);
    const isCut = this.request.httpVersionMajor === 1 && !this.request.complete;
    this.#writeHead(status, {
      ...(status !== 204 && { "content-length": length }),
      ...headers,
      ...(isCut && { connection: "close" }),
    });
    this.#response.end(this.method === "HEAD" ? undefined : body);
  }

  /** Sends a response whose body is a stream. The client may leave before its end. */
  async stream(status: number, headers: Headers, body: Readable): Promise<void> {
    this.#writeHead(status, headers);
    await pipeline(body, this.#response).catch(() => this.#response.destroy());
  }

  #writeHead(status: number, headers: Headers): void {
    this.#response.writeHead(status, { ...ownHeaders, "x-request-id": this.context.requestId, ...headers });
  }
}
