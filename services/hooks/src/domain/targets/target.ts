/** How a notification target gets its messages. */
export type TargetKind = "WEBHOOK" | "SLACK" | "MAIL";

/** A receiver of system events outside of the platform (docs/interface/notifications.md#targets). */
export interface NotificationTarget {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly kind: TargetKind;
  /** What people see of where it is: the URL of a webhook, only the origin of a Slack URL, or addresses separated by commas. */
  readonly address: string;
  /** The types of events that it gets. Undefined: every type. */
  readonly types: readonly string[] | undefined;
  readonly isEnabled: boolean;
  /** Whether the options of the platform define it. Then nothing else changes it. */
  readonly isConfigured: boolean;
  readonly createdAt: Date;
  readonly createdBy: string;
  /** Grows with each change. */
  readonly revision: number;
}

/** A target with what it takes to send to it. */
export interface ReachableTarget extends NotificationTarget {
  /** WEBHOOK: the key of its signatures, `whsec_…`. SLACK: the whole URL. MAIL: undefined. */
  readonly secret: string | undefined;
}

const prefix = "target:";

/** Returns the name of the target as a subscriber of deliveries. No app can have it. */
export function subscriberOf(targetId: string): string {
  return prefix + targetId;
}

/** Returns the target's id. Undefined for an app. */
export function targetOf(subscriber: string): string | undefined {
  return subscriber.startsWith(prefix) ? subscriber.slice(prefix.length) : undefined;
}

const eventPrefix = "event:";

/** Returns the name under which an event of this type is stored. No hook can have it. */
export function storedTypeOf(type: string): string {
  return eventPrefix + type;
}

/** Does the reverse of {@link storedTypeOf}. */
export function typeOf(storedType: string): string {
  return storedType.slice(eventPrefix.length);
}
