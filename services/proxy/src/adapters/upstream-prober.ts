import { requestFailure } from "@appserver/kernel";
import { Agent, request } from "undici";
import type { UpstreamConnections } from "./upstream-connections.ts";

/** Asks backends that somebody else runs whether they are well, by the address rules of proxied calls. */
export class UpstreamProber {
  readonly #agent: Agent;

  constructor(connections: UpstreamConnections) {
    this.#agent = new Agent({ connect: connections.connector(), pipelining: 0 });
  }

  /**
   * Returns undefined on a response of 2xx or 3xx in time, else what is wrong. Redirects are not followed: an upstream must
   * not send the platform elsewhere.
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
}
