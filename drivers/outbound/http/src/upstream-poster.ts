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
  /** Without reuse of connections: one that the upstream just closed would fail a message that is sent only once. */
  readonly #checkedOnce: Agent;
  readonly #managedOnce: Agent;

  constructor(connections: UpstreamConnections) {
    const connect = { timeout: connectTimeoutMs, allowH2: false };
    this.#checked = new Agent({ connect: connections.connector(), pipelining: 1 });
    this.#managed = new Agent({ connect, pipelining: 1 });
    this.#checkedOnce = new Agent({ connect: connections.connector(), pipelining: 0 });
    this.#managedOnce = new Agent({ connect, pipelining: 0 });
  }

  /**
   * Rejects if there is no response in time. Redirects are not followed, because an upstream must not redirect the platform to
   * another address. Rejects with RangeError if `path` leads to another host or out of the base.
   */
  async post(target: UpstreamTarget, path: string, message: OutboundMessage, timeoutMs: number): Promise<PostResponse> {
    const { statusCode, headers, body } = await send(target, path, message, {
      dispatcher: target.managed ? this.#managed : this.#checked,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await body.dump({ limit: maxResponseBytes });
    const retryAfter = headers["retry-after"];
    return { status: statusCode, retryAfter: typeof retryAfter === "string" ? retryAfter : undefined };
  }

  /** Rejects as {@link post}, and when the signal aborts. Of a larger body it reads `maxBytes`, and closes the connection. */
  async ask(target: UpstreamTarget, path: string, message: OutboundMessage, limits: AnswerLimits): Promise<ReadDocument> {
    const { timeoutMs, maxBytes } = limits;
    const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(timeoutMs)]);
    const { statusCode: status, body } = await send(target, path, message, {
      dispatcher: target.managed ? this.#managedOnce : this.#checkedOnce,
      signal,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.byteLength;
      if (size >= maxBytes) break;
    }
    return { status, body: Buffer.concat(chunks) };
  }

  async close(): Promise<void> {
    const agents = [this.#checked, this.#managed, this.#checkedOnce, this.#managedOnce];
    await Promise.all(agents.map((agent) => agent.destroy()));
  }
}

function send(
  target: UpstreamTarget,
  path: string,
  { headers, body }: OutboundMessage,
  options: { readonly dispatcher: Agent; readonly signal: AbortSignal },
) {
  // The signal limits the time. The limits of undici would end what may take longer.
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  return request(upstreamUrl(target.url, path), { method: "POST", headers, body, ...options, ...limits });
}
