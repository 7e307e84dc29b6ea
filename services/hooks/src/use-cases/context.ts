import type { BacklogQuota, Clock, Logger, Permissions } from "@appserver/kernel";
import type { RetryPolicy } from "../domain/retry-policy.ts";
import type {
  DeliveryReads,
  DeliveryStore,
  EventReads,
  ForwardKeys,
  HookApps,
  HookNotifications,
  Metrics,
  PushTransport,
  SubscriptionStore,
} from "../ports.ts";

/** Limits and times that an operator configures. */
export interface HooksOptions {
  /** An operator configures the delays; only tests change `freeDisconnects`. */
  readonly retry: Pick<RetryPolicy, "delaysMs"> & Partial<RetryPolicy>;
  /** Of deliveries to notification targets. Only tests change it. */
  readonly targetRetry?: RetryPolicy;
  /** Maximum time for a subscriber's response (docs/interface/hooks.md#retries). */
  readonly answerTimeoutMs: number;
  /** How long an installation waits for the subscribers of `app.on_create`. */
  readonly onCreateTimeoutMs: number;
  /** If true, an app gets hooks of another app only with `hook:subscribe` on that app. */
  readonly subscribeNeedsPermission: boolean;
  /** Maximum waiting deliveries of one app's hooks; then its triggers are refused. */
  readonly maxWaitingPerApp: number;
}

/** Every limit and time of the service. */
export interface HooksPolicy extends Omit<HooksOptions, "retry" | "targetRetry"> {
  readonly retry: RetryPolicy;
  /** Of deliveries to notification targets. */
  readonly targetRetry: RetryPolicy;
  /** Concurrent POSTs to one app from one replica. */
  readonly pushConcurrency: number;
  /** How long delivered and dropped deliveries are kept. */
  readonly finishedRetentionMs: number;
  /** How long dead deliveries are kept. */
  readonly deadRetentionMs: number;
}

/** Dependencies of every use case of the service. */
export interface HooksContext {
  readonly deliveries: DeliveryStore;
  readonly deliveryReads: DeliveryReads;
  readonly eventReads: EventReads;
  readonly subscriptions: SubscriptionStore;
  readonly apps: HookApps;
  readonly permissions: Permissions;
  /** Counts against the apps whose hooks are triggered. */
  readonly quota: BacklogQuota;
  readonly notifications: HookNotifications;
  readonly transport: PushTransport;
  readonly forwardKeys: ForwardKeys;
  readonly metrics: Metrics;
  /** Keys that sign POSTs; the first is the newest. At least one. */
  readonly platformKeys: readonly Uint8Array[];
  readonly policy: HooksPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
}
