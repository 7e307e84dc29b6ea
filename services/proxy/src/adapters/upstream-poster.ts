import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, request } from "undici";
import type { AddressPolicy } from "../domain/upstream-address.ts";
import { checkedConnector, connectTimeoutMs } from "./checked-connector.ts";

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

/** Posts messages of the platform to upstreams. The resolved address is checked at connect, as for proxied calls (security, SSRF). */
export class UpstreamPoster {
  readonly #checked: Agent;
  readonly #managed: Agent;

  constructor(policy: AddressPolicy, lookup: LookupFunction = systemLookup as LookupFunction) {
    this.#checked = new Agent({ connect: checkedConnector(policy, lookup), pipelining: 1 });
    this.#managed = new Agent({ connect: { timeout: connectTimeoutMs, allowH2: false }, pipelining: 1 });
  }

  /**
   * Rejects without an answer in time. Redirects are not followed: an upstream must not send the platform elsewhere. Nor does
   * `path`, which begins with a slash and goes below the base, whatever else it says.
   */
  async post(
    target: PostTarget,
    path: string,
    message: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array },
    timeoutMs: number,
  ): Promise<PostAnswer> {
    const { origin, pathname } = new URL(target.url);
    // Put together as text: resolved against the base, "//host" and "/http://host" would lead to another host.
    const url = new URL(`${origin}${pathname.replace(/\/+$/, "")}${path}`);
    const { statusCode, headers, body } = await request(url, {
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
