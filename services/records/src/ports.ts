import type { MetricWindow, SystemEventFilter, SystemEventRecord } from "@appserver/kernel/ports";
import type { Counts } from "./domain/traffic.ts";

export {
  type AuditEntry,
  type AuditFilter,
  type AuditLog,
  type AuditQueue,
  type AuditRecord,
  type EventEnvelope,
  type EventHistory,
  type Lease,
  type Leases,
  type ListedRequest,
  type MetricHistory,
  type MetricSample,
  type MetricTotal,
  type MetricWindow,
  type PresentedEvent,
  type ProcessValue,
  type RequestFilter,
  type RequestHistory,
  type RequestLog,
  requestSamples,
  type SampleSource,
  type StoredRequest,
  type SystemEventFilter,
  type SystemEventRecord,
  type TimedAuditRecord,
} from "@appserver/kernel/ports";

/** Events that reach this process from now on. */
export interface SystemEventNotifications {
  published(signal: AbortSignal, filter: SystemEventFilter): AsyncIterable<SystemEventRecord>;
}

/** What an app used within a step of time. Null: it was not measured. */
export interface UsageStep {
  /** The start of the step. */
  readonly at: Date;
  /** Processors in use on average. */
  readonly cpu: number | null;
  readonly memoryBytes: number | null;
  readonly databaseBytes: number | null;
}

/** What the apps used within the last hour. */
export interface UsageReads {
  overTime(appName: string, since: Date, stepMs: number): Promise<readonly UsageStep[]>;
}

export interface CountsOfApp extends Counts {
  readonly appName: string;
}

export interface FigureStep extends UsageStep, Counts {}

/** What happened to each app, and what it used, in steps of 5 minutes (docs/interface/operations.md#figures). */
export interface AppFigures {
  /** Computes the steps from this time on from the samples of all processes. Repeatable. */
  rollUp(since: Date): Promise<void>;
  removeBefore(time: Date): Promise<void>;
  /** Removes all that is stored of an app, its samples included. */
  remove(appName: string): Promise<void>;
  /** Returns the apps that had requests. */
  byApp(window: MetricWindow): Promise<readonly CountsOfApp[]>;
  /** Returns the steps, oldest first: the sums over the apps. */
  overTime(window: MetricWindow): Promise<readonly FigureStep[]>;
}
