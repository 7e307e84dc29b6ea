import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Duration of `/slow`: long enough to be in progress when a test disturbs the platform. */
const slowMs = 1_500;

/** A backend that counts its requests by the number in `x-sequence`. */
export class CountingUpstream {
  readonly url: string;
  /** How often each number was received. */
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
    // The platform closes idle connections. If the backend closed one while a request arrives, the failure would be the
    // backend's.
    const server = createServer({ keepAliveTimeout: 0 }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new CountingUpstream(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
