import type { AuditedUser, FieldViolation, Page } from "@appserver/kernel";
import type { ActivityDefinition, Recurrence } from "./domain/activity-definition.ts";
import type { RunRecord, ShownStatus, TerminalStatus } from "./domain/run.ts";
import type { Outcome } from "./domain/run-outcome.ts";

/** An installed app, with what its manifest declares. */
export interface ActivityApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly activities: readonly ActivityDefinition[];
}

/** The apps that are installed now. */
export interface AppDirectory {
  find(name: string): Promise<ActivityApp | undefined>;
  list(): Promise<readonly ActivityApp[]>;
}

/** Activities that apps declared beside their manifests. */
export interface DefinitionStore {
  ofApp(appName: string): Promise<readonly ActivityDefinition[]>;
  /** Adds them, or replaces those of the same name, and tells every replica. */
  save(appName: string, definitions: readonly ActivityDefinition[]): Promise<void>;
  deleteAll(appName: string): Promise<void>;
}

export interface NewRun {
  /** Without what the store adds when it stores it. */
  readonly run: Omit<RunRecord, "scheduledFor" | "queuedAt" | "isDelayed">;
  /** Not before; undefined for now. Which of the two it is, the clock of the database decides. */
  readonly runAt: Date | undefined;
  /** Whose deed it is, for the audit log; undefined: nobody's. */
  readonly auditAs: AuditedUser | undefined;
  /** JSON text. */
  readonly input: string | undefined;
}

export interface AssignedRun {
  readonly run: RunRecord;
  /** JSON text. */
  readonly input: string | undefined;
}

export interface ClaimRequest {
  readonly appName: string;
  readonly definition: Pick<ActivityDefinition, "name" | "concurrency" | "singletonKey">;
  /** Runs wanted at most. */
  readonly limit: number;
}

/** What a worker holds: a run in one attempt. */
export interface Assignment {
  readonly appName: string;
  readonly runId: string;
  readonly attempt: number;
}

/** The answer to a sign of life. */
export type AssignmentState = "held" | "cancel_requested" | "lost";

export interface ProgressReport extends Assignment {
  readonly progress: number;
  readonly stage: string | undefined;
}

export interface ResultReport extends Assignment {
  readonly outcome: Outcome;
}

export interface RunQuery {
  readonly appName: string | undefined;
  readonly status: ShownStatus | undefined;
  /** Id to go on after, downwards. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A run that is not over: its time is to come, it waits for a worker, or has one. */
export type UnfinishedStatus = "delayed" | "queued" | "running";

/**
 * The record of all runs and the queue that they wait in, always changed in one transaction. What ends a run also writes
 * its `activity.executed`, in that transaction. All times are those of the clock of the database.
 */
export interface RunStore {
  /** Stores and queues them, with an audit entry for what is somebody's deed. Answers each run, or the earlier one with its idempotency key. */
  enqueue(runs: readonly NewRun[]): Promise<readonly RunRecord[]>;
  /**
   * Takes waiting runs whose time has come, oldest first, within the activity's limits, each in a new attempt. Its timeout
   * counts from the first sign of life of the worker that is given it.
   */
  claim(request: ClaimRequest): Promise<readonly AssignedRun[]>;
  /** Gives runs back that were claimed and never reached a worker: the attempt does not count. */
  release(assignments: readonly Assignment[]): Promise<void>;
  heartbeat(assignments: readonly Assignment[]): Promise<readonly AssignmentState[]>;
  /** Also a sign of life. */
  progress(reports: readonly ProgressReport[]): Promise<readonly AssignmentState[]>;
  /** Ends attempts. Answers for each whether it counts: false where the assignment was lost. */
  settle(results: readonly ResultReport[]): Promise<readonly boolean[]>;
  /** Their worker's stream broke: it has only so long to be heard of over another. */
  disconnected(assignments: readonly Assignment[]): Promise<void>;
  /** Ends a waiting run; asks the worker of a running one to stop; audited. A finished run stays as it is. Undefined: unknown. */
  cancel(runId: string, auditAs?: AuditedUser): Promise<RunRecord | undefined>;
  /**
   * Ends attempts whose workers are lost or heeded no cancel, and those that take longer than their timeout while their
   * worker is connected: `connected` are those of the streams that are open here. Returns how many.
   */
  endOverdue(connected: readonly Assignment[]): Promise<number>;
  /** Ends runs that no worker took for too long. Returns how many. */
  expire(): Promise<number>;
  /** Deletes runs that finished long ago. Answers how many. */
  purge(): Promise<number>;
  /** Deletes every finished run of an app. */
  deleteFinished(appName: string): Promise<void>;
  find(runId: string): Promise<RunRecord | undefined>;
  /** JSON text of its input and output. */
  values(runId: string): Promise<{ readonly input: string | undefined; readonly output: string | undefined }>;
  /** Newest first. */
  list(query: RunQuery): Promise<Page<RunRecord>>;
  count(query: Pick<RunQuery, "appName" | "status">): Promise<number>;
  /** How many are not over, of all apps; no more of each are counted than a scrape may ask. */
  unfinished(): Promise<ReadonlyMap<UnfinishedStatus, number>>;
}

export interface ScheduleRecord extends Recurrence {
  readonly id: string;
  readonly appName: string;
  readonly activity: string;
  /** Tells several schedules of one activity apart. */
  readonly key: string;
  /** JSON text. */
  readonly input: string | undefined;
  readonly enabled: boolean;
  /** By the manifest. */
  readonly declared: boolean;
  readonly nextRunAt: Date;
}

export interface ScheduleStore {
  /** Adds it or replaces the one with its key, audited; the id stays. */
  save(schedule: ScheduleRecord, auditAs?: AuditedUser): Promise<ScheduleRecord>;
  delete(id: string): Promise<void>;
  deleteAll(appName: string): Promise<void>;
  /** Schedules of the app that its manifest does not declare, without the one that has this activity and key. */
  countOthers(appName: string, activity: string, key: string): Promise<number>;
  /** By app, activity and key. */
  list(appName: string | undefined): Promise<readonly ScheduleRecord[]>;
  /** Enabled ones that are due, oldest first. */
  due(now: Date): Promise<readonly ScheduleRecord[]>;
  /** Moves its next run; false when another replica did. */
  advance(schedule: ScheduleRecord, nextRunAt: Date): Promise<boolean>;
}

/** When a recurrence comes next. Throws INVALID_REQUEST for a pattern or a time zone that is none. */
export interface Recurrences {
  next(recurrence: Recurrence, after: Date): Promise<Date>;
}

/** JSON Schemas of inputs. */
export interface InputSchemas {
  /** Why the text is no schema that can be used here; undefined when it can. */
  problem(schema: string): Promise<string | undefined>;
  /**
   * What breaks the schema, up to a limit; `input` is JSON. Fields start with `input`. An input that takes too long to judge breaks
   * the schema.
   */
  violations(schema: string, input: string): Promise<readonly FieldViolation[]>;
  close(): Promise<void>;
}

/** Live news from every replica. Some may be missed while the database is away; `onGap` is told afterwards. */
export interface RunNews {
  listen(handlers: {
    /** Runs wait: of the activity, or where it is undefined, of any. */
    readonly onWork: (appName: string, activity: string) => void;
    readonly onCancel: (runId: string) => void;
    readonly onDefinitions: (appName: string) => void;
    readonly onGap: () => void;
  }): Promise<void>;
  /** Turns for every change of the run from now on; changes while nobody looks are folded into one. Ends with the signal. */
  changes(runId: string, signal: AbortSignal): AsyncIterable<void>;
  close(): Promise<void>;
}

/** Counts what happens, for operators (docs/reference/metrics.md). Nothing of it waits or does input or output. */
export interface RunCounts {
  /** A run is over, and that is stored; `durationMs` is that of its last attempt, undefined where none was under way. */
  ended(appName: string, status: TerminalStatus, durationMs: number | undefined): void;
  /** An attempt is over, and another will follow. */
  retried(appName: string): void;
  /** A worker's stream is open, until the answer is called. */
  workerConnected(appName: string): () => void;
}
