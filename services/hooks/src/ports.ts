import type { AuditedUser } from "@appserver/kernel";
import type { ClaimedDelivery, Delivery, DeliveryStatus, HookEvent } from "./domain/delivery.ts";
import type { PushAnswer } from "./domain/push-answer.ts";
import type { PushRequest } from "./domain/push-request.ts";
import type { AttemptResult, NextStep } from "./domain/retry-policy.ts";

/** The app that an event of the bus is about. */
export interface EventSubject {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

export interface NewHookEvent extends HookEvent {
  readonly subject: EventSubject;
  /** Whose deed it is, for the audit log; undefined: nobody's. */
  readonly auditAs: AuditedUser | undefined;
}

/** What a stored event came to: one delivery for each subscriber. */
export interface StoredDelivery {
  readonly id: string;
  readonly appName: string;
}

/** What one claim asks for: deliveries to one app, of all its hooks or of some. */
export interface DeliveryWant {
  readonly appName: string;
  readonly room: number;
  /** Undefined: all. */
  readonly hookNames: readonly string[] | undefined;
  /** To be posted: only what no open stream of the app covers. */
  readonly pushes: boolean;
}

/** The end of one attempt, to be stored. */
export interface Settlement {
  readonly delivery: ClaimedDelivery;
  readonly result: AttemptResult;
  readonly step: NextStep;
  readonly startedAt: Date;
  readonly durationMs: number;
}

export interface DeliveryFilter {
  readonly hookName?: string | undefined;
  readonly appName?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  /** Only deliveries to this app, and of events that it triggered or that were triggered in its name. */
  readonly concerning?: string | undefined;
}

/** A delivery that is not over, as operators see it: waiting for its turn or a way, under way, or waiting to be tried again. */
export type UnfinishedStatus = "waiting" | "sending" | "retrying";

/** Events and deliveries. Times are the database's, so that replicas whose clocks differ agree. */
export interface DeliveryStore {
  /**
   * Stores the event, one delivery for each of its subscribers, `hook.triggered`, and an audit entry where it is somebody's
   * deed, in one transaction. An event whose id is stored already changes nothing. Answers the new deliveries. Throws DatabaseError.
   */
  trigger(event: NewHookEvent): Promise<readonly StoredDelivery[]>;
  /** Takes due deliveries for this replica, those of one lane one at a time. What is not settled in time is due again. */
  claim(wants: readonly DeliveryWant[]): Promise<readonly ClaimedDelivery[]>;
  /** Stores how attempts ended; what somebody else settled stays. Resolves with the app where the next of the lane is due now. */
  settle(settlement: Settlement): Promise<string | undefined>;
  /** Newest first. `before` is the id of the last one seen. */
  list(filter: DeliveryFilter, limit: number, before: string | undefined): Promise<readonly Delivery[]>;
  count(filter: DeliveryFilter): Promise<number>;
  find(id: string): Promise<(Delivery & { readonly sourceApp: string | undefined }) | undefined>;
  ofEvent(eventId: string): Promise<readonly Delivery[]>;
  /** How many are not over, of all replicas; no more than so many are counted that a scrape may ask. */
  unfinished(): Promise<ReadonlyMap<UnfinishedStatus, number>>;
  /** The same of DEAD ones. */
  deadLetters(): Promise<number>;
  /** Makes a finished delivery due again with all its retries, audited; false when it is not finished. */
  resend(id: string, auditAs: AuditedUser | undefined): Promise<boolean>;
  /** The same for every DEAD delivery of the hook triggered in the range; answers their number. */
  recover(hookName: string, since: Date, until: Date, auditAs: AuditedUser | undefined): Promise<number>;
  /** Drops what is still open of an event. */
  cancel(eventId: string, reason: string): Promise<void>;
  /** Ends a subscription that its app no longer wants: open deliveries are dead. */
  disable(appName: string, hookName: string, reason: string): Promise<void>;
  /** Deletes what has been over for longer than that, in steps; answers the number of deliveries deleted. */
  clean(finishedMs: number, deadMs: number): Promise<number>;
  /** Wakes lanes that nobody moves on. They should not exist; a lane that stood still for ever would be worse than looking. */
  wakeLanes(): Promise<void>;
}

export interface DeclaredHook {
  readonly hookName: string;
  /** Of the app's backend; undefined where the hook is not posted. */
  readonly path: string | undefined;
}

export interface PushableHooks {
  readonly appName: string;
  readonly paths: ReadonlyMap<string, string>;
}

/** An app with the time of the last look at its manifest, as the store writes it. */
export interface SyncedApp {
  readonly appName: string;
  readonly token: string;
}

/** Who gets which hook, and where streams are open. */
export interface SubscriptionStore {
  /**
   * Makes the app's declared subscriptions these, from the apps that `sources` permits. One that was disabled stays so until
   * `declaredBy` changes.
   */
  sync(appName: string, declaredBy: string, hooks: readonly DeclaredHook[], sources: HookSources): Promise<void>;
  synced(): Promise<readonly SyncedApp[]>;
  /** Forgets an app and drops what is open for it, unless it was synced since the token was read. */
  remove(app: SyncedApp): Promise<void>;
  pushable(): Promise<readonly PushableHooks[]>;
  /** Registers a stream of this replica; hooks it names are subscribed from now on, those of other apps as in {@link permit}. */
  openStream(stream: OpenStream, sources: HookSources): Promise<void>;
  closeStream(id: string): Promise<void>;
  /** Names of the hooks that the app is subscribed to, by its manifest or by streams. */
  hooksOf(appName: string): Promise<readonly string[]>;
  /** Says, for each hook, of which other apps the app may have it. Until then: of none. */
  permit(appName: string, sources: HookSources): Promise<void>;
  /** Whether some replica has a stream of the app that covers the hook. */
  hasStream(appName: string, hookName: string): Promise<boolean>;
  /** Says that this replica lives, with these streams; takes from dead ones what they were sending. */
  heartbeat(streams: readonly OpenStream[]): Promise<void>;
  /** Says that this replica is gone. */
  leave(): Promise<void>;
}

/** By hook: names of other apps that an app may have it of. */
export type HookSources = ReadonlyMap<string, readonly string[]>;

export interface OpenStream {
  readonly id: string;
  readonly appName: string;
  /** Undefined: every hook of the app. */
  readonly hookNames: readonly string[] | undefined;
}

/** Where an app's backend is. */
export interface Backend {
  /** Base of the paths. */
  readonly url: string;
  /** Run by the platform, so that its address needs no check. */
  readonly managed: boolean;
}

/** An app as hooks see it. */
export interface HookApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Changes with every version and installation. */
  readonly declaredBy: string;
  readonly hooks: readonly DeclaredHook[];
  /** Absent where there is none, or where it does not run. */
  readonly backend: Backend | undefined;
}

/** Installed apps, and those that are being installed. */
export interface HookApps {
  all(): Promise<readonly HookApp[]>;
  find(name: string): Promise<HookApp | undefined>;
}

/** A triggered hook, as live views get it. */
export interface HookNewsItem {
  readonly id: string;
  readonly hookName: string;
  readonly sourceApp: string | undefined;
  readonly data: unknown;
  readonly triggeredAt: string;
  readonly triggeredBy: string | undefined;
  readonly traceparent: string | undefined;
}

export interface HookNews {
  /** Every hook triggered from now on, on any replica, or those of one name; ends with the signal. */
  triggered(signal: AbortSignal, hookNames: ReadonlySet<string> | undefined): AsyncIterable<HookNewsItem>;
}

/** Posts to apps' backends; must keep to the address rules of proxied calls, and follow no redirect. */
export interface PushTransport {
  /** Rejects when there is no answer in time. */
  post(backend: Backend, path: string, request: PushRequest, timeoutMs: number): Promise<PushAnswer>;
}

/** Tells of new deliveries, by app name, and of changed subscriptions, by an empty text. */
export interface DeliveryNews {
  /** `onMissed`: some may have been missed. Resolves once listening. */
  listen(onNews: (appName: string) => void, onMissed: () => void): Promise<{ close(): Promise<void> }>;
}

/** How deliveries go to an app. */
export type Transport = "stream" | "push";

/** Counts the attempts of one way to one app. */
export interface AttemptCounts {
  /** An attempt is over and what became of its delivery is stored. PENDING is none: it was never sent. */
  over(status: DeliveryStatus, durationMs: number): void;
}

/** Counts what happens, for operators (docs/reference/metrics.md). Nothing of it waits or does input or output. */
export interface HookCounts {
  /** A trigger was accepted; `sourceApp` is undefined where the hook is the platform's. */
  triggered(sourceApp: string | undefined): void;
  /** To be asked for once a way, and used for each delivery. */
  attempts(appName: string, transport: Transport): AttemptCounts;
  /** A stream of the app is open, until the answer is called. */
  streamOpened(appName: string): () => void;
}
