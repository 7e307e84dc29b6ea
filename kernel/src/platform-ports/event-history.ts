import type { EventEnvelope } from "./broker.ts";
import type { Transaction } from "./database.ts";

/** What people see of an event. */
export interface PresentedEvent {
  /** In upper case, like `APP_INSTALLED`. */
  readonly type: string;
  readonly severity: "INFO" | "WARNING" | "ERROR";
  /** One sentence. */
  readonly message: string;
  readonly data: unknown;
}

/** A published event as people read it. */
export interface SystemEventRecord extends PresentedEvent {
  /** Id of the event: UUIDv7. */
  readonly id: string;
  /** Undefined for an event that concerns no app. */
  readonly appName: string | undefined;
  readonly at: Date;
  readonly actor: string | undefined;
  readonly traceId: string | undefined;
  /** Id of the operation on the app that it is a step of. Undefined if it is a step of none. */
  readonly operationId: string | undefined;
  /** Grows within an app, in the order of commits. */
  readonly sequence: number;
}

/** Undefined fields do not filter. */
export interface SystemEventFilter {
  readonly types?: readonly string[] | undefined;
  readonly appName?: string | undefined;
}

/** The published events of the last days. */
export interface EventHistory {
  /** Stores the listed ones of the events. Repeatable. */
  append(tx: Transaction, events: readonly EventEnvelope[]): Promise<void>;
  /** Returns events newest first, from the one before `before` on. */
  newest(filter: SystemEventFilter, before: string | undefined, limit: number): Promise<readonly SystemEventRecord[]>;
  /** Returns the events published after the one with this id, oldest first. */
  following(filter: SystemEventFilter, after: string, limit: number): Promise<readonly SystemEventRecord[]>;
  /** Returns events that are committed and perhaps published, but not stored here yet, oldest first. */
  pending(filter: SystemEventFilter, limit: number): Promise<readonly SystemEventRecord[]>;
  count(filter: SystemEventFilter): Promise<number>;
  /** Returns the first events of these traces, oldest first. */
  ofTraces(traceIds: readonly string[], limit: number): Promise<readonly SystemEventRecord[]>;
  find(id: string): Promise<SystemEventRecord | undefined>;
}
