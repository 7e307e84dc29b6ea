// The floor of every gateway on Node: `http` in front, `Pool.dispatch` behind, and nothing in between.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Dispatcher, Pool } from "undici";

/** Passes one response through. */
class Passing implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(): void {}

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#response.writeHead(status, headers as Record<string, string>);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#response.write(chunk);
  }

  onResponseEnd(): void {
    this.#response.end();
  }

  onResponseError(): void {
    this.#response.destroy();
  }
}

process.once("message", (upstreamPort: number) => {
  const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: 50 });
  // As long as the platform's idle timeout.
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const body = method === "GET" ? null : request;
    pool.dispatch({ method: method as Dispatcher.HttpMethod, path: url, headers, body }, new Passing(response));
  }).listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
});
process.on("disconnect", () => process.exit());
