import type { BacklogQuota, Clock, Logger, Permissions } from "@appserver/kernel";
import type { RetryPolicy } from "../domain/retry-policy.ts";
import type { DeliveryStore, HookCounts, HookNews, PushTransport, SubscriptionStore } from "../ports.ts";
import type { KnownApps } from "./known-apps.ts";

/** Rules that an operator sets. */
export interface HooksPolicy {
  readonly retry: RetryPolicy;
  /** How long a subscriber may take to answer. Default 30 s (docs/interface/hooks.md#retries). */
  readonly answerTimeoutMs: number;
  /** POSTs to one app at a time, from one replica. Default 8. */
  readonly pushConcurrency: number;
  /** How long an installation waits for the subscribers of `app.on_create`. Default 30 s. */
  readonly onCreateTimeoutMs: number;
  /** Whether an app gets hooks of another app only with `hook:subscribe` on that app. Default true. */
  readonly subscribeNeedsPermission: boolean;
  /** Deliveries of the hooks of one app that may wait; then the app triggers no more. Default 200,000. */
  readonly maxWaitingPerApp: number;
  /** How long delivered and dropped deliveries are kept. Default 7 days. */
  readonly finishedRetentionMs: number;
  /** How long dead ones are. Default 30 days. */
  readonly deadRetentionMs: number;
}

/** What every use case of the service works with. */
export interface HooksContext {
  readonly deliveries: DeliveryStore;
  readonly subscriptions: SubscriptionStore;
  readonly apps: KnownApps;
  readonly permissions: Permissions;
  /** Of the apps whose hooks are triggered. */
  readonly quota: BacklogQuota;
  readonly news: HookNews;
  readonly transport: PushTransport;
  readonly counts: HookCounts;
  /** Sign what is posted; the first is the newest. At least one. */
  readonly platformKeys: readonly Uint8Array[];
  readonly policy: HooksPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
}
