import type { SignedPost } from "@appserver/contracts/webhooks";
import { type Clock, messageOf } from "@appserver/kernel";
import type { ClaimedDelivery } from "../../domain/delivery.ts";
import { resultOfAnswer } from "../../domain/push-answer.ts";
import type { AttemptResult } from "../../domain/retry-policy.ts";
import { type ReachableTarget, subscriberOf } from "../../domain/targets/target.ts";
import { mailOf, slackRequest, webhookRequest } from "../../domain/targets/target-message.ts";
import type { Mail, PushTransport } from "../../ports.ts";
import type { DeliveryChannel } from "../delivery-channel.ts";

export interface TargetChannelDeps {
  readonly transport: Pick<PushTransport, "post">;
  /** Undefined: the platform sends no mail. */
  readonly mail: Mail | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const capacity = 4;

/** Sends deliveries to one notification target. */
export class TargetChannel implements DeliveryChannel {
  readonly appName: string;
  readonly hookNames = undefined;
  readonly pushes = true;
  readonly capacity = capacity;
  readonly #target: ReachableTarget;
  readonly #deps: TargetChannelDeps;

  constructor(target: ReachableTarget, deps: TargetChannelDeps) {
    this.appName = subscriberOf(target.id);
    this.#target = target;
    this.#deps = deps;
  }

  async send(delivery: ClaimedDelivery): Promise<AttemptResult> {
    const { kind, address, secret = "" } = this.#target;
    const { clock } = this.#deps;
    try {
      if (kind === "WEBHOOK") return await this.#post(address, webhookRequest(delivery, secret, clock.now()));
      if (kind === "SLACK") return await this.#post(secret, slackRequest(delivery));
      return await this.#mail(delivery);
    } catch (error) {
      return { outcome: "FAILED", error: messageOf(error) };
    }
  }

  async #post(url: string, request: SignedPost): Promise<AttemptResult> {
    const { transport, timeoutMs, clock } = this.#deps;
    const { origin, pathname, search } = new URL(url);
    const answer = await transport.post({ url: origin, managed: false }, pathname + search, request, timeoutMs);
    const result = resultOfAnswer(answer, clock.now(), "receiver");
    // A target ends by a change of an administrator, never by a response.
    return result.outcome === "GONE" ? { outcome: "FAILED", error: "the receiver responded with 410" } : result;
  }

  async #mail(delivery: ClaimedDelivery): Promise<AttemptResult> {
    const { mail } = this.#deps;
    if (!mail) return { outcome: "FAILED", error: "not sent: the option mail.url is not set" };
    await mail.send(mailOf(delivery, this.appName, this.#target.address));
    return { outcome: "SUCCESS" };
  }
}
