import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Logger, StartError } from "@appserver/kernel";

export interface ChallengeServerOptions {
  readonly host: string;
  readonly port: number;
  /** Origin to which all other requests are redirected. */
  readonly publicOrigin: string;
  readonly logger: Logger;
}

const challenge = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,256})$/;
/** RFC 3986 without what could leave the path of the own origin. */
const path = /^\/(?!\/)[\x21-\x7e]{0,8191}$/;
const timeoutMs = 10_000;
const maxConnections = 1_000;

/** Port 80: answers the challenges of HTTP-01 (RFC 8555, section 8.3), and redirects everything else to https. */
export class ChallengeServer {
  /** Key authorizations by token, while an authority asks for them. */
  readonly tokens = new Map<string, string>();
  readonly #options: ChallengeServerOptions;
  readonly #server: Server;

  constructor(options: ChallengeServerOptions) {
    this.#options = options;
    this.#server = createServer(
      { headersTimeout: timeoutMs, requestTimeout: timeoutMs, keepAliveTimeout: 1, maxHeaderSize: 16_384 },
      (request, response) => this.#answer(request, response),
    );
    this.#server.maxConnections = maxConnections;
  }

  /** Returns its port. Rejects with StartError if it is in use, or reserved for other users. */
  async start(): Promise<number> {
    const { host, port, logger } = this.#options;
    try {
      await once(this.#server.listen(port, host), "listening");
    } catch (cause) {
      const { message } = cause as Error;
      throw new StartError(`The challenges of ACME cannot be answered: ${message}. acme.http_port sets the port.`, { cause });
    }
    // Without a listener, one refusal of the operating system, such as ENOBUFS, would end the process.
    this.#server.on("error", (err) => logger.warn({ err, host, port }, "acme: could not accept a connection"));
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = "", url = "" } = request;
    const isRead = method === "GET" || method === "HEAD";
    const [, token = ""] = challenge.exec(url) ?? [];
    const authorization = isRead ? this.tokens.get(token) : undefined;
    response.setHeader("connection", "close");
    if (authorization !== undefined) {
      const length = Buffer.byteLength(authorization);
      const type = "application/octet-stream";
      response.writeHead(200, { "content-type": type, "content-length": length, "cache-control": "no-store" });
      response.end(authorization);
    } else if (url.startsWith("/.well-known/acme-challenge/") || !path.test(url)) {
      response.writeHead(404).end();
    } else {
      // A form that was sent in clear text is not sent again by 308: its sender has to see that.
      response.writeHead(isRead ? 301 : 403, isRead ? { location: `${this.#options.publicOrigin}${url}` } : {}).end();
    }
  }
}
