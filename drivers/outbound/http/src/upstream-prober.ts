import { requestFailure } from "@appserver/kernel";
import { Agent, request } from "undici";
import type { UpstreamConnections } from "./upstream-connections.ts";

/** Probes the health of external backends. The address rules are those of proxied calls. */
export class UpstreamProber {
  readonly #agent: Agent;

  constructor(connections: UpstreamConnections) {
    this.#agent = new Agent({ connect: connections.connector(), pipelining: 0 });
  }

  /**
   * Returns undefined on a response of 2xx or 3xx in time, else the problem. Redirects are not followed, because an upstream
   * must not redirect the platform to another address.
   */
  async probe(url: string, timeoutMs: number): Promise<string | undefined> {
    try {
      const { statusCode, body } = await request(url, { dispatcher: this.#agent, signal: AbortSignal.timeout(timeoutMs) });
      await body.dump();
      return statusCode >= 200 && statusCode < 400 ? undefined : `GET ${url} returned ${statusCode}`;
    } catch (error) {
      return `GET ${url}: ${requestFailure(error, timeoutMs)}`;
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
