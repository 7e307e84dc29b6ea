import { upstreamUrl } from "@appserver/contracts/patterns";
import type { OutboundMessage, PostResponse, UpstreamTarget } from "@appserver/kernel/ports";
import { Agent, request } from "undici";
import { connectTimeoutMs } from "./open-socket.ts";
import type { UpstreamConnections } from "./upstream-connections.ts";

/** Maximum size of a response body. The platform ignores its content. */
const maxResponseBytes = 64 * 1024;

/** Posts messages of the platform to upstreams, only at allowed addresses (docs/interface/proxy.md#upstream-addresses). */
export class UpstreamPoster {
  readonly #checked: Agent;
  readonly #managed: Agent;

  constructor(connections: UpstreamConnections) {
    this.#checked = new Agent({ connect: connections.connector(), pipelining: 1 });
    this.#managed = new Agent({ connect: { timeout: connectTimeoutMs, allowH2: false }, pipelining: 1 });
  }

  /**
   * Rejects if there is no response in time. Redirects are not followed, because an upstream must not redirect the platform to
   * another address. Rejects with RangeError if `path` leads to another host or out of the base.
   */
  async post(target: UpstreamTarget, path: string, message: OutboundMessage, timeoutMs: number): Promise<PostResponse> {
    const { statusCode, headers, body } = await request(upstreamUrl(target.url, path), {
      method: "POST",
      headers: message.headers,
      body: message.body,
      dispatcher: target.managed ? this.#managed : this.#checked,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await body.dump({ limit: maxResponseBytes });
    const retryAfter = headers["retry-after"];
    return { status: statusCode, retryAfter: typeof retryAfter === "string" ? retryAfter : undefined };
  }

  async close(): Promise<void> {
    await Promise.all([this.#checked.destroy(), this.#managed.destroy()]);
  }
}
