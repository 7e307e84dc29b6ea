import { upstreamUrl } from "@appserver/contracts/patterns";
import type { AnswerLimits, OutboundMessage, PostResponse, ReadDocument, UpstreamTarget } from "@appserver/kernel/ports";
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
    const { statusCode, headers, body } = await this.#send(target, path, message, AbortSignal.timeout(timeoutMs));
    await body.dump({ limit: maxResponseBytes });
    const retryAfter = headers["retry-after"];
    return { status: statusCode, retryAfter: typeof retryAfter === "string" ? retryAfter : undefined };
  }

  /** Rejects as {@link post}, and when the signal aborts. Of a larger body it reads `maxBytes`, and closes the connection. */
  async ask(target: UpstreamTarget, path: string, message: OutboundMessage, limits: AnswerLimits): Promise<ReadDocument> {
    const { timeoutMs, maxBytes } = limits;
    const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(timeoutMs)]);
    const { statusCode: status, body } = await this.#send(target, path, message, signal);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.byteLength;
      if (size >= maxBytes) break;
    }
    return { status, body: Buffer.concat(chunks) };
  }

  #send(target: UpstreamTarget, path: string, message: OutboundMessage, signal: AbortSignal) {
    return request(upstreamUrl(target.url, path), {
      method: "POST",
      headers: message.headers,
      body: message.body,
      dispatcher: target.managed ? this.#managed : this.#checked,
      signal,
      // The signal limits the time. The limits of undici would end what may take longer.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#checked.destroy(), this.#managed.destroy()]);
  }
}
