import type { KeyObject } from "node:crypto";
import { upstreamUrl } from "@appserver/contracts/patterns";
import type { SignedPost } from "@appserver/contracts/webhooks";
import { type Clock, messageOf } from "@appserver/kernel";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import { resultOfAnswer } from "../domain/push-answer.ts";
import { pushRequest } from "../domain/push-request.ts";
import type { AttemptResult } from "../domain/retry-policy.ts";
import type { Backend, ForwardKeys, PushTransport } from "../ports.ts";
import type { DeliveryChannel } from "./delivery-channel.ts";

export interface PushChannelOptions {
  readonly appName: string;
  /** Path of each hook. */
  readonly paths: ReadonlyMap<string, string>;
  readonly backend: Backend;
  readonly capacity: number;
  readonly timeoutMs: number;
  readonly platformKeys: readonly Uint8Array[];
  readonly forwardKeys: ForwardKeys;
  readonly transport: Pick<PushTransport, "post">;
  readonly clock: Clock;
}

const unsigned = {
  awaited: "not sent: the server has not read the secret that signs POSTs to the subscriber's deployment yet",
  unreadable: "not sent: the server cannot open the secret that signs POSTs to the subscriber's deployment",
};

/** Posts deliveries to one app's backend. */
export class PushChannel implements DeliveryChannel {
  readonly appName: string;
  readonly hookNames: ReadonlySet<string>;
  readonly pushes = true;
  readonly capacity: number;
  readonly #options: PushChannelOptions;

  constructor(options: PushChannelOptions) {
    this.appName = options.appName;
    this.hookNames = new Set(options.paths.keys());
    this.capacity = options.capacity;
    this.#options = options;
  }

  async send(delivery: ClaimedDelivery): Promise<AttemptResult> {
    const { paths, backend, transport, timeoutMs, clock, forwardKeys } = this.#options;
    const path = paths.get(delivery.event.hookName);
    if (path === undefined) return { outcome: "RELEASED" };
    const key = forwardKeys.of(this.appName);
    if (typeof key === "string") return { outcome: "FAILED", error: unsigned[key] };
    try {
      const answer = await transport.post(backend, path, this.#request(delivery, path, key), timeoutMs);
      return resultOfAnswer(answer, clock.now());
    } catch (error) {
      return { outcome: "FAILED", error: `the subscriber's backend: ${messageOf(error)}` };
    }
  }

  #request(delivery: ClaimedDelivery, path: string, key: KeyObject): SignedPost {
    const { backend, platformKeys, clock } = this.#options;
    const { pathname, search } = upstreamUrl(backend.url, path);
    return pushRequest(delivery, platformKeys, clock.now(), { key, target: pathname + search });
  }

  /** Returns whether both send to the same backend and paths. */
  equals(other: PushChannelOptions): boolean {
    const { paths, backend } = this.#options;
    return (
      backend.url === other.backend.url &&
      backend.managed === other.backend.managed &&
      paths.size === other.paths.size &&
      [...paths].every(([hook, path]) => other.paths.get(hook) === path)
    );
  }
}
