import type { KeyObject } from "node:crypto";
import type { MissingForwardKey } from "@appserver/contracts/forwarding";
import type { SignedPost } from "@appserver/contracts/webhooks";
import type { MaybePromise } from "@appserver/kernel";
import type {
  AuditRecord,
  EventHistory,
  Mail,
  Metrics,
  SecretSeal,
  Transaction,
  UnreadableSecret,
} from "@appserver/kernel/ports";
import type { ClaimedDelivery, Delivery, DeliveryStatus, EventSummary, HookEvent } from "./domain/delivery.ts";
import type { PushAnswer } from "./domain/push-answer.ts";
import type { AttemptResult, NextStep } from "./domain/retry-policy.ts";
import type { NotificationTarget, ReachableTarget } from "./domain/targets/target.ts";
import type { TargetEvent } from "./domain/targets/target-message.ts";

export type { Mail, Metrics, SecretSeal, UnreadableSecret };

/** The app that an event on the bus is about. */
export interface EventSubject {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

export interface NewHookEvent extends HookEvent {
  readonly subject: EventSubject;
  /** Undefined when no user triggered the event. */
  readonly audit: AuditRecord | undefined;
}

/** A stored delivery of an event: one for each subscriber. */
export interface StoredDelivery {
  readonly id: string;
  readonly appName: string;
}

/** A request for deliveries to one app, of all its hooks or of some. */
export interface DeliveryWant {
  readonly appName: string;
  readonly room: number;
  /** Undefined: all hooks. */
  readonly hookNames: readonly string[] | undefined;
  /** For POSTs: excludes deliveries that an open stream of the app covers. */
  readonly pushes: boolean;
}

/** The end of one attempt, to be stored. */
export interface FinishedAttempt {
  readonly delivery: ClaimedDelivery;
  readonly result: AttemptResult;
  readonly step: NextStep;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** The subject of the event about a delivery to an app that is DEAD now. Undefined for any other. */
  readonly subscriber: EventSubject | undefined;
}

export interface DeliveryFilter {
  readonly hookName?: string | undefined;
  readonly appName?: string | undefined;
  /** Only deliveries to this notification target. Without it only those to apps. */
  readonly targetId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly eventId?: string | undefined;
  /** Only deliveries to this app, and of events that it triggered or that were triggered in its name. */
  readonly concerning?: string | undefined;
}

/**
 * Status of an unfinished delivery, for operators: waiting for its turn or for a connection, being sent, or waiting for a
 * retry.
 */
export type UnfinishedStatus = "waiting" | "sending" | "retrying";

/** The deliveries of a hook whose events were triggered from `since` up to `until`. */
export interface DeadRange {
  readonly hookName: string;
  readonly since: Date;
  readonly until: Date;
}

/** Stores events and deliveries. Times are the database's, so that replicas with different clocks agree. */
export interface DeliveryStore {
  /**
   * Stores the event, one delivery for each subscriber, `hook.triggered`, and an audit entry if a user triggered it, in one
   * transaction. An event with a stored id changes nothing. Returns the new deliveries. Throws DatabaseError.
   */
  trigger(event: NewHookEvent): Promise<readonly StoredDelivery[]>;
  /**
   * Claims due deliveries for this replica, one at a time per ordering group. A delivery without a
   * stored result becomes due again after a time.
   */
  claim(wants: readonly DeliveryWant[]): Promise<readonly ClaimedDelivery[]>;
  /**
   * Stores the end of an attempt, and `hook.dead_lettered` if the delivery is DEAD now, in one transaction, unless another
   * process has stored its result. Resolves with the app if the next delivery of its ordering group is now due.
   */
  finish(attempt: FinishedAttempt): Promise<string | undefined>;
  /** Makes a finished delivery due again with all its retries, with an audit entry. Returns false if it is not finished. */
  resend(id: string, audit: AuditRecord | undefined): Promise<boolean>;
  /**
   * Does the same for every DEAD delivery in the range, in steps. Each step stores the audit entry for its number of
   * deliveries. Returns their number.
   */
  recover(range: DeadRange, auditOf: (recovered: number) => AuditRecord | undefined): Promise<number>;
  /** Drops the open deliveries of an event. */
  cancel(eventId: string, reason: string): Promise<void>;
  /** Ends a subscription that its app no longer wants: its open deliveries become DEAD, each with `hook.dead_lettered`. */
  disable(subscriber: EventSubject, hookName: string, reason: string): Promise<void>;
  /** Deletes deliveries finished longer ago than these limits, in steps. Returns the number of deleted deliveries. */
  clean(finishedMs: number, deadMs: number): Promise<number>;
  /** Drops open deliveries to apps without any subscription, in steps: of one app, or of all. */
  dropUnsubscribed(appName?: string): Promise<void>;
  /** Deletes the subscriptions of an app, the deliveries to it and the events that it triggered, in steps. */
  forget(appName: string): Promise<void>;
  /**
   * Makes the retries of a subscriber that works again due now, in their order, in steps. Each wait once, later only if the last attempt
   * is 5 to 40 minutes ago or an administrator ordered it (`isOrdered`), and not those that the subscriber asked to wait. Returns their number.
   */
  endWaits(appName: string, isOrdered: boolean): Promise<number>;
  /** Makes one retry due now of each subscriber that had no attempt for 15 minutes. Returns the subscribers that have one. */
  probe(appNames: readonly string[]): Promise<readonly string[]>;
  /**
   * Wakes ordering groups with waiting deliveries and none due. There should be none, but without this check such an ordering group would stop
   * forever.
   */
  wakeGroups(): Promise<void>;
}

/** Reads deliveries. */
export interface DeliveryReads {
  /** Returns deliveries, newest first. `before` is the id of the last one seen. */
  list(filter: DeliveryFilter, limit: number, before: string | undefined): Promise<readonly Delivery[]>;
  count(filter: DeliveryFilter): Promise<number>;
  find(id: string): Promise<(Delivery & { readonly sourceApp: string | undefined }) | undefined>;
  ofEvent(eventId: string): Promise<readonly Delivery[]>;
  /** Returns the first deliveries of events in these traces, oldest first. */
  ofTraces(traceIds: readonly string[], limit: number): Promise<readonly Delivery[]>;
  /** Counts unfinished deliveries of all replicas. The count is capped, so that it is cheap enough for a scrape. */
  unfinished(): Promise<ReadonlyMap<UnfinishedStatus, number>>;
  /** Returns those of the apps to which a delivery is due. */
  dueApps(appNames: readonly string[]): Promise<readonly string[]>;
  /** Returns those to which a delivery is due or being sent. */
  busyApps(appNames: readonly string[]): Promise<readonly string[]>;
  /** Counts DEAD deliveries, with the same cap. */
  deadLetters(): Promise<number>;
  /** Returns the subscribers of DEAD deliveries. */
  deadLetterHolders(): Promise<readonly DeadLetterHolder[]>;
  /** Counts unfinished deliveries of an app's hooks, up to `limit`. */
  waitingOf(sourceApp: string, limit: number): Promise<number>;
}

/** A subscriber with deliveries that were given up. */
export interface DeadLetterHolder {
  /** Of the app, or of the notification target. */
  readonly name: string;
  readonly targetId: string | undefined;
}

export interface EventFilter {
  readonly hookName?: string | undefined;
  /** The app whose hook it is. */
  readonly sourceApp?: string | undefined;
  /** Only events of this app's hooks, and those that are delivered to it. */
  readonly concerning?: string | undefined;
}

/** Reads events. */
export interface EventReads {
  /** Returns events, newest first. `before` is the id of the last one seen. */
  list(filter: EventFilter, limit: number, before: string | undefined): Promise<readonly EventSummary[]>;
  count(filter: EventFilter): Promise<number>;
  find(id: string, concerning: string | undefined): Promise<EventSummary | undefined>;
  /** Returns the first events of these traces, oldest first. */
  ofTraces(traceIds: readonly string[], limit: number): Promise<readonly EventSummary[]>;
  /** Returns the data of events by id, as JSON texts. */
  data(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface DeclaredHook {
  readonly hookName: string;
  /** Path at the app's backend; undefined if the hook is not posted. */
  readonly path: string | undefined;
}

export interface PushableHooks {
  readonly appName: string;
  readonly paths: ReadonlyMap<string, string>;
}

/** The subscriptions of an app's manifest. */
export type DeclaredHooks = Pick<HookApp, "name" | "declaredBy" | "hooks">;

/**
 * Stores subscriptions and open streams. A transaction that changes several subscriptions of an app first locks all of them, in the
 * order of their hooks.
 */
export interface SubscriptionStore {
  /**
   * Replaces the app's declared subscriptions with these; hooks of other apps come only from the apps in `sources`. A disabled
   * subscription stays disabled until `declaredBy` changes.
   */
  declare(tx: Transaction, app: DeclaredHooks, sources: HookSources): Promise<void>;
  /** Deletes the app's subscriptions. */
  remove(tx: Transaction, appName: string): Promise<void>;
  pushable(): Promise<readonly PushableHooks[]>;
  /**
   * Registers a stream of this replica. The hooks that it names are subscribed from now on, those of other apps as in {@link
   * permit}.
   */
  openStream(stream: OpenStream, sources: HookSources): Promise<void>;
  closeStream(id: string): Promise<void>;
  /** Returns the hooks that each app, or only this one, is subscribed to, by its manifest or by streams. */
  subscribed(appName?: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Sets, for each hook, the other apps from which the app may receive it. Before the first call: none. */
  permit(appName: string, sources: HookSources): Promise<void>;
  /** Whether any replica has a stream of the app that covers the hook. */
  hasStream(appName: string, hookName: string): Promise<boolean>;
  /** Records that this replica lives, with these streams. Makes deliveries due again that dead replicas were sending. */
  heartbeat(streams: readonly OpenStream[]): Promise<void>;
  /** Records that this replica has stopped. */
  leave(): Promise<void>;
}

/** By hook: names of the other apps from which an app may receive it. */
export type HookSources = ReadonlyMap<string, readonly string[]>;

export interface OpenStream {
  readonly id: string;
  readonly appName: string;
  /** Undefined: every hook of the app. */
  readonly hookNames: readonly string[] | undefined;
}

/** An app's stream, as the code that reads and acknowledges its deliveries sees it. */
export interface HookStream {
  readonly deliveries: AsyncIterable<ClaimedDelivery>;
  acknowledge(eventId: string, result: "SUCCESS" | "RETRY" | "DROP"): void;
  /** Releases the deliveries that were not acknowledged. */
  close(): Promise<void>;
}

/** The streams that are open on this replica. */
export interface HookStreams {
  /** Opens a stream with at most `maxInFlight` deliveries at a time. Throws SERVICE_UNAVAILABLE if this replica is stopping. */
  open(stream: Omit<OpenStream, "id">, maxInFlight: number, sources: HookSources): Promise<HookStream>;
}

/** The address of an app's backend. */
export interface Backend {
  /** Base URL of the paths. */
  readonly url: string;
  /** True if the platform runs the backend, so that its address needs no check. */
  readonly managed: boolean;
}

/** The secrets that the platform shares with backends, to sign what it sends (docs/interface/proxy.md#forward-signature). */
export interface ForwardKeys {
  of(appName: string): KeyObject | MissingForwardKey;
}

/** The hooks service's view of an app. */
export interface HookApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Changes with every version and installation. */
  readonly declaredBy: string;
  readonly hooks: readonly DeclaredHook[];
  /** Absent if the app has none, or if it does not run. */
  readonly backend: Backend | undefined;
  /** Whether its last health check passed. Undefined if it has none. */
  readonly isHealthy?: boolean | undefined;
}

/** The apps that are installed or being installed, from memory. */
export interface HookApps {
  get(name: string): MaybePromise<HookApp | undefined>;
}

/** A triggered hook, as sent to live views. */
export interface HookTrigger {
  readonly id: string;
  readonly hookName: string;
  readonly sourceApp: string | undefined;
  readonly data: unknown;
  readonly triggeredAt: string;
  readonly triggeredBy: string | undefined;
  readonly traceparent: string | undefined;
}

export interface HookNotifications {
  /** Yields every hook triggered from now on, on any replica, optionally only of these names. Ends with the signal. */
  triggered(signal: AbortSignal, hookNames: ReadonlySet<string> | undefined): AsyncIterable<HookTrigger>;
}

/** Sends POSTs to apps' backends. It must enforce the address rules of proxied calls and must not follow redirects. */
export interface PushTransport {
  /** Rejects if there is no response in time. */
  post(backend: Backend, path: string, request: SignedPost, timeoutMs: number): Promise<PushAnswer>;
  /** Returns whether the rules allow the IP address. False for other texts. */
  allowsAddress(address: string): boolean;
}

/** The published events, of which targets get those of their types. */
export type EventSource = Pick<EventHistory, "newest" | "following">;

/** What is stored of a new target. */
export type NewTarget = Omit<ReachableTarget, "createdAt" | "revision">;

export interface TargetChange {
  readonly name?: string | undefined;
  readonly address?: string | undefined;
  /** Undefined: as it is. */
  readonly secret?: string | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly isEnabled?: boolean | undefined;
  /** The position of a target that is enabled again: it gets the events that follow. */
  readonly after: string;
}

/** Open and dead deliveries of a target. The counts are capped. */
export interface TargetBacklog {
  readonly waiting: number;
  readonly dead: number;
}

/** Stores notification targets, and the deliveries to them. */
export interface TargetStore {
  list(): Promise<readonly NotificationTarget[]>;
  /** Returns the targets that are enabled, with their secrets. One whose secret cannot be opened is left out, with a log line. */
  reachable(): Promise<readonly ReachableTarget[]>;
  find(id: string): Promise<NotificationTarget | undefined>;
  /** Throws if the secret cannot be opened. */
  findReachable(id: string): Promise<ReachableTarget | undefined>;
  /** Stores a target that gets the events after this one. Throws CONFLICT for a name that is taken, INVALID_STATE beyond `max` targets. */
  add(target: NewTarget, after: string, max: number, audit: AuditRecord | undefined): Promise<void>;
  /** Stores the targets of the options, which keep their positions, and removes those that the options no longer have. */
  configure(targets: readonly NewTarget[], after: string): Promise<void>;
  /** Returns false if there is no such target, or if the options define it. Throws CONFLICT for a name that is taken. */
  change(id: string, change: TargetChange, audit: AuditRecord | undefined): Promise<boolean>;
  /** Deletes a target with its deliveries. Returns false as {@link change}. */
  remove(id: string, audit: AuditRecord | undefined): Promise<boolean>;
  backlogs(): Promise<ReadonlyMap<string, TargetBacklog>>;
  /** Returns the position of a target. Undefined if it is not enabled, or if `max` or more deliveries to it wait. */
  position(id: string, max: number): Promise<string | undefined>;
  /**
   * Stores a delivery of each event to the target and moves its position to the last of them, in one transaction. Returns false, and
   * stores nothing, if its position is not `after` any more.
   */
  fanOut(id: string, after: string, events: readonly TargetEvent[]): Promise<boolean>;
}
