import { upstreamUrl } from "@appserver/contracts/patterns";
import { Agent, request } from "undici";
import { connectTimeoutMs, type UpstreamConnections } from "./upstream-connections.ts";

/** The address to post to. */
export interface PostTarget {
  /** Base address of the upstream. */
  readonly url: string;
  /** True if the platform runs the upstream, so that its address needs no check. */
  readonly managed: boolean;
}

export interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Maximum size of a response body. The platform ignores its content. */
const maxAnswerBytes = 64 * 1024;

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
