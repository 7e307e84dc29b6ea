import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent, request } from "undici";
import type { AddressPolicy } from "../domain/upstream-address.ts";
import { checkedConnector } from "./checked-connector.ts";

/** Asks backends that somebody else runs whether they are well, by the address rules of proxied calls. */
export class UpstreamProber {
  readonly #agent: Agent;

  constructor(policy: AddressPolicy, lookup: LookupFunction = systemLookup as LookupFunction) {
    this.#agent = new Agent({ connect: checkedConnector(policy, lookup), pipelining: 0 });
  }

  /** True on a 2xx or 3xx answer in time. Redirects are not followed: an upstream must not send the platform elsewhere. */
  async probe(url: string, timeoutMs: number): Promise<boolean> {
    try {
      const { statusCode, body } = await request(url, { dispatcher: this.#agent, signal: AbortSignal.timeout(timeoutMs) });
      await body.dump();
      return statusCode >= 200 && statusCode < 400;
    } catch {
      return false;
    }
  }
}
