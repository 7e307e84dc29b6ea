import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** How long `/slow` takes: long enough to be under way when something happens to the platform. */
const slowMs = 1_500;

/** A backend that counts what reaches it, by the number that each request carries in `x-sequence`. */
export class CountingUpstream {
  readonly url: string;
  /** How often each number came. */
  readonly received = new Map<string, number>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      const sequence = request.headers["x-sequence"];
      if (typeof sequence === "string") this.received.set(sequence, (this.received.get(sequence) ?? 0) + 1);
      request.resume().once("end", () => {
        const answer = (): unknown => response.end(sequence ?? "ok");
        if (request.url === "/slow") setTimeout(answer, slowMs);
        else answer();
      });
    });
  }

  static async start(): Promise<CountingUpstream> {
    // Idle connections are the platform's to close: closing one as a request comes on it would be our fault, not its.
    const server = createServer({ keepAliveTimeout: 0 }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new CountingUpstream(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
