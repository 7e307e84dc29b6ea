import { createServer, type Server } from "node:http";
import type { Component } from "@appserver/kernel";
import type { Metrics } from "@appserver/kernel/ports";

export interface MetricsEndpointOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly metrics: Metrics;
}

/**
 * Serves `GET /metrics` for Prometheus on `orchestrator.metrics_port`, if that port is configured. The orchestrator has no
 * other HTTP endpoint (docs/interface/containers.md#metrics).
 */
export class MetricsEndpoint implements Component {
  readonly name = "metrics endpoint";
  readonly #options: MetricsEndpointOptions;
  readonly #server: Server;

  constructor(options: MetricsEndpointOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      if (request.url !== "/metrics" || request.method !== "GET") {
        response.writeHead(404).end();
        return;
      }
      options.metrics.expose().then(
        ({ contentType, body }) => response.writeHead(200, { "content-type": contentType }).end(body),
        () => response.writeHead(500).end(),
      );
    });
  }

  /** The port in use. Throws before start. */
  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the metrics endpoint has not started");
    return address.port;
  }

  start(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      // Stays after the start: without a listener, a connection that cannot be accepted would end the process.
      this.#server.on("error", reject);
      this.#server.listen(port, host, () => resolve());
    });
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
