import { upstreamUrl } from "@appserver/contracts/patterns";
import { Agent, request } from "undici";
import { connectTimeoutMs, type UpstreamConnections } from "./upstream-connections.ts";

/** Where to post to. */
export interface PostTarget {
  /** Base address of the upstream. */
  readonly url: string;
  /** Run by the platform itself, so that its address is known to be good. */
  readonly managed: boolean;
}

export interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Of an answer's body, which says nothing to the platform. */
const maxAnswerBytes = 64 * 1024;

/** Posts messages of the platform to upstreams, at allowed addresses only (docs/interface/proxy.md#upstream-addresses). */
export class UpstreamPoster {
  readonly #checked: Agent;
  readonly #managed: Agent;

  constructor(connections: UpstreamConnections) {
    this.#checked = new Agent({ connect: connections.connector(), pipelining: 1 });
    this.#managed = new Agent({ connect: { timeout: connectTimeoutMs, allowH2: false }, pipelining: 1 });
  }

  /**
   * Rejects without an answer in time. Redirects are not followed: an upstream must not send the platform elsewhere. Nor may `path`:
   * rejects with RangeError if it leads to another host, or out of the base.
   */
  async post(
    target: PostTarget,
    path: string,
    message: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array },
    timeoutMs: number,
  ): Promise<PostAnswer> {
    const { statusCode, headers, body } = await request(upstreamUrl(target.url, path), {
      method: "POST",
      headers: message.headers,
      body: message.body,
      dispatcher: target.managed ? this.#managed : this.#checked,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await body.dump({ limit: maxAnswerBytes });
    const retryAfter = headers["retry-after"];
    return { status: statusCode, retryAfter: typeof retryAfter === "string" ? retryAfter : undefined };
  }

  async close(): Promise<void> {
    await Promise.all([this.#checked.destroy(), this.#managed.destroy()]);
  }
}
