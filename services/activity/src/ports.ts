import type { KeyObject } from "node:crypto";
import type { MissingForwardKey } from "@appserver/contracts/forwarding";
import type { SignedPost } from "@appserver/contracts/webhooks";
import type { FieldViolation, MaybePromise, Page } from "@appserver/kernel";
import type { AuditRecord, KeyedWork, Metrics, Transaction } from "@appserver/kernel/ports";
import type { ActivityDefinition, Recurrence } from "./domain/activity-definition.ts";
import type { RunAttempt, RunRecord, ShownStatus } from "./domain/run.ts";
import type { Outcome } from "./domain/run-outcome.ts";

export type { Metrics };

/** An installed app with the declarations of its manifest. */
export interface ActivityApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly activities: readonly ActivityDefinition[];
  /** Whether an operator has disabled the app. Its runs then wait, and its schedules pause. */
  readonly isDisabled?: boolean;
  /** Where runs are posted. Absent if the app has no backend, or if it does not run. */
  readonly backend?: Backend | undefined;
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

/** Posts runs to backends. It must enforce the address rules of proxied calls and must not follow redirects. */
export interface RunTransport {
  /** Rejects without a whole response in time. The body has at most `maxBytes`; the rest is not read. */
  ask(backend: Backend, path: string, post: SignedPost, limits: AnswerLimits): Promise<RunAnswer>;
}

export interface AnswerLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** The response of a backend. */
export interface RunAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** The apps whose workers may take runs, from memory. A change of an app replaces its object. */
export interface ActivityApps {
  get(name: string): MaybePromise<ActivityApp | undefined>;
  all(): readonly ActivityApp[];
}

/** Stores activities that apps declared in addition to their manifests. */
export interface DefinitionStore {
  ofApp(appName: string): Promise<readonly ActivityDefinition[]>;
  /** Adds definitions with their schedules, or replaces those of the same name, and notifies every replica. */
  save(definitions: readonly ActivityDefinition[], declared: DeclaredSchedules): Promise<void>;
  deleteAll(appName: string): Promise<void>;
}

/** The activities of installed apps: those of manifests, overridden by those that apps registered. */
export interface Catalogue {
  /** Throws NOT_FOUND for an app that is not installed. */
  app(name: string): Promise<ActivityApp>;
  /** Throws NOT_FOUND for an app that is not installed. */
  definitions(appName: string): Promise<readonly ActivityDefinition[]>;
  /** Throws NOT_FOUND for an app that is not installed and for an activity that it does not declare. */
  activity(appName: string, activity: string): Promise<{ readonly app: ActivityApp; readonly definition: ActivityDefinition }>;
  /** Returns every installed app. */
  installed(): readonly ActivityApp[];
  /** Removes an app's definitions from memory, because they may have changed. */
  invalidate(appName: string): void;
}

export interface NewRun {
  /** The run without the fields that the store sets. */
  readonly run: Omit<RunRecord, "scheduledFor" | "queuedAt" | "isDelayed">;
  /** Earliest start; undefined for now. The clock of the database decides whether the run is delayed. */
  readonly runAt: Date | undefined;
  /** Undefined when no user triggered the run. */
  readonly audit: AuditRecord | undefined;
  /** JSON text. */
  readonly input: string | undefined;
  /** The request that starts the run, if that has a key. */
  readonly work?: KeyedWork | undefined;
}

export interface AssignedRun {
  readonly run: RunRecord;
  /** JSON text. Undefined as well for a large one, which is read when the run is sent. */
  readonly input: string | undefined;
  readonly isInputLarge: boolean;
}

export interface ClaimRequest {
  readonly appName: string;
  readonly definition: Pick<ActivityDefinition, "name" | "concurrency" | "singletonKey">;
  /** Maximum number of runs to claim. */
  readonly limit: number;
}

/** An attempt of a run that is assigned to a worker. */
export interface Assignment {
  readonly appName: string;
  readonly runId: string;
  readonly attempt: number;
}

/** The state of an assignment, returned for a worker's report. */
export type AssignmentState = "assigned" | "cancel_requested" | "lost";

export interface ProgressReport extends Assignment {
  readonly progress: number;
  readonly stage: string | undefined;
}

export interface ResultReport extends Assignment {
  readonly outcome: Outcome;
}

/** What a worker's stream sends to the worker. */
export type WorkMessage =
  | { readonly kind: "assign"; readonly assigned: AssignedRun }
  | { readonly kind: "cancel"; readonly runId: string }
  | { readonly kind: "settled"; readonly runId: string; readonly accepted: boolean };

/** What a worker takes: runs of these activities, `slots` of them now or, with `capacity`, so many at any time. */
export interface WorkOffer {
  /** Empty: every activity that the app declares. */
  readonly activities: readonly string[];
  readonly slots: number;
  readonly capacity?: number | undefined;
}

/** One open stream of a worker. Reports without an attempt are about the attempt that this stream was given. */
export interface WorkStream {
  readonly isOver: boolean;
  /** Yields what is to be sent to the worker, until the stream ends. */
  messages(): AsyncIterable<WorkMessage>;
  /** Throws NOT_FOUND for an activity that the app does not declare. */
  ready(offer: WorkOffer): Promise<void>;
  heartbeat(runId: string, attempt: number | undefined): Promise<void>;
  progress(
    runId: string,
    attempt: number | undefined,
    report: { readonly progress: number; readonly stage: string },
  ): Promise<void>;
  result(runId: string, attempt: number | undefined, outcome: Outcome): Promise<void>;
  /** Ends {@link messages} once all of them are sent; with an error, by throwing it. */
  end(error?: unknown): void;
  /** Ends the stream. Its runs stay assigned for a moment, so that the worker can continue them over another stream. */
  close(): Promise<void>;
}

/** The workers' streams that are open on this replica. */
export interface WorkStreams {
  open(appName: string): WorkStream;
}

export interface RunQuery {
  readonly appName: string | undefined;
  readonly status: ShownStatus | undefined;
  /** Id to continue after, in descending order. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Status of an unfinished run: it waits for its time, waits for a worker, or has a worker. */
export type UnfinishedStatus = "delayed" | "queued" | "running";

export interface DueWork {
  /** Runs that no worker took in time. */
  readonly expired: boolean;
  /** Attempts that {@link RunStore.endOverdue} may end. */
  readonly overdue: boolean;
  /** Schedules. */
  readonly scheduled: boolean;
  /** Runs whose time has come. */
  readonly waiting: boolean;
}

/**
 * The record of all runs and their queue, always changed in one transaction. A change that ends a run also writes its
 * `activity.executed` in that transaction. All times are those of the clock of the database.
 */
export interface RunStore {
  /**
   * Stores and queues runs, with an audit entry for each that a user triggered. Returns each run, or the earlier one with its
   * idempotency key. Returns undefined for a run whose request no longer has its key: then it is not stored.
   */
  enqueue(runs: readonly NewRun[]): Promise<readonly (RunRecord | undefined)[]>;
  /**
   * Queues the run of a scheduled time and moves the schedule to its next one, together. Does nothing and returns false if
   * another replica did so, or if the schedule is no longer active.
   */
  enqueueScheduled(run: NewRun, schedule: ScheduleMoment, nextRunAt: Date): Promise<boolean>;
  /**
   * Claims due waiting runs, oldest first, within the activity's limits, each in a new attempt. The timeout counts from the
   * first report of the worker that receives the run.
   */
  claim(request: ClaimRequest): Promise<readonly AssignedRun[]>;
  /** Returns claimed runs that never reached a worker to the queue: the attempt does not count. */
  release(assignments: readonly Assignment[]): Promise<void>;
  heartbeat(assignments: readonly Assignment[]): Promise<readonly AssignmentState[]>;
  /** Stores progress; also counts as a heartbeat. */
  progress(reports: readonly ProgressReport[]): Promise<readonly AssignmentState[]>;
  /** Stores progress, without a sign of life: the lease stays as it is. */
  noteProgress(report: ProgressReport): Promise<AssignmentState>;
  /** Extends the lease to the end of the attempt's timeout, because its worker reports later. */
  defer(assignment: Assignment): Promise<AssignmentState>;
  /** Ends attempts. Returns for each whether it was accepted: false if the assignment was lost. */
  finish(results: readonly ResultReport[]): Promise<readonly boolean[]>;
  /** Records that the worker's stream broke: the worker must report over another stream within the reconnect time. */
  disconnected(assignments: readonly Assignment[]): Promise<void>;
  /**
   * Ends a waiting run, or requests the worker of a running one to stop, with an audit entry. A finished run is unchanged. Returns
   * undefined for an unknown run.
   */
  cancel(runId: string, audit?: AuditRecord): Promise<RunRecord | undefined>;
  /** Returns what the periodic work may find to do, so that an idle replica takes one statement. `now` is for schedules. */
  due(now: Date): Promise<DueWork>;
  /**
   * Returns running attempts whose workers are lost or ignored a cancel, and those of connected workers that exceed their timeout, up
   * to a limit, without those of `except`. `connected` are the assignments of the streams open here.
   */
  overdue(connected: readonly Assignment[], except: readonly string[]): Promise<readonly string[]>;
  /** Ends these attempts if they still are overdue, in one transaction. Returns their number. */
  endOverdue(connected: readonly Assignment[], runIds: readonly string[]): Promise<number>;
  /** Returns runs that no worker took in time, up to a limit, without those of `except`. */
  expired(except: readonly string[]): Promise<readonly string[]>;
  /** Ends these runs if they still wait, in one transaction. Returns their number. */
  expire(runIds: readonly string[]): Promise<number>;
  /** Deletes runs that finished long ago. Returns their number. */
  purge(): Promise<number>;
  /** Deletes every finished run of an app. */
  deleteFinished(appName: string): Promise<void>;
  /** Deletes every run of an app. Later reports on them are handled as for a lost assignment. */
  deleteAll(appName: string): Promise<void>;
}

/** Reads runs. */
export interface RunReads {
  find(runId: string): Promise<RunRecord | undefined>;
  /** Returns the JSON text of its input and output. */
  values(runId: string): Promise<{ readonly input: string | undefined; readonly output: string | undefined }>;
  /** Returns the attempts that have ended, in their order. */
  attempts(runId: string): Promise<readonly RunAttempt[]>;
  /** Returns runs, newest first. */
  list(query: RunQuery): Promise<Page<RunRecord>>;
  count(query: Pick<RunQuery, "appName" | "status">): Promise<number>;
  /** Returns the first runs of these traces, oldest first. */
  ofTraces(traceIds: readonly string[], limit: number): Promise<readonly RunRecord[]>;
  /** Counts unfinished runs of all apps. Each count is capped, so that it is cheap enough for a scrape. */
  unfinished(): Promise<ReadonlyMap<UnfinishedStatus, number>>;
  /** Counts an app's runs that wait for a worker or for their time, up to `limit`. */
  queued(appName: string, limit: number): Promise<number>;
  /** Returns those of the apps that have a run which is due. */
  dueApps(appNames: readonly string[]): Promise<readonly string[]>;
  /** Returns those that have a run in progress, or a run or a schedule that is due within `aheadMs`. */
  busyApps(appNames: readonly string[], aheadMs: number): Promise<readonly string[]>;
}

export interface ScheduleRecord extends Recurrence {
  readonly id: string;
  readonly appName: string;
  readonly activity: string;
  /** Distinguishes several schedules of one activity. */
  readonly key: string;
  /** JSON text. */
  readonly input: string | undefined;
  /** Whether the app wants it to start runs. */
  readonly enabled: boolean;
  /** Whether a user paused it. */
  readonly paused: boolean;
  /** Whether the manifest declares it. */
  readonly declared: boolean;
  /** After a failure, when it is tried again. */
  readonly nextRunAt: Date;
  /** Times in a row that it could not start a run. */
  readonly failures: number;
  readonly lastError: string | undefined;
}

/** A schedule as a command or a manifest sets it. */
export type NewSchedule = Omit<ScheduleRecord, "paused" | "failures" | "lastError">;

/** A schedule at the time of its next run. */
export type ScheduleMoment = Pick<ScheduleRecord, "id" | "nextRunAt">;

export interface ScheduleChange extends Pick<ScheduleRecord, "enabled" | "paused" | "nextRunAt"> {
  /** Undefined when no user made the change. */
  readonly audit: AuditRecord | undefined;
}

/** The schedules that an app declares for its activities. */
export interface DeclaredSchedules {
  readonly appName: string;
  /** Names of the declared activities, with a schedule or without. */
  readonly activities: readonly string[];
  readonly schedules: readonly Omit<NewSchedule, "appName" | "key" | "enabled" | "declared">[];
}

export interface ScheduleStore {
  /**
   * Replaces the schedules of the manifest with these, except those of activities that the app registered itself. A schedule that
   * stays the same keeps its id, its pause and its next time.
   */
  declare(tx: Transaction, declared: DeclaredSchedules): Promise<void>;
  /**
   * Adds a schedule or replaces the one with its key, whose id and pause stay the same. Stores the audit entry for what it saved.
   */
  save(schedule: NewSchedule, auditOf: (saved: ScheduleRecord) => AuditRecord | undefined): Promise<ScheduleRecord>;
  /**
   * Locks the schedule and applies the change that `decide` returns, with its audit entry; undefined changes nothing. Returns
   * undefined for an unknown schedule.
   */
  change(
    id: string,
    decide: (before: ScheduleRecord) => Promise<ScheduleChange | undefined>,
  ): Promise<ScheduleRecord | undefined>;
  find(id: string): Promise<ScheduleRecord | undefined>;
  /** Deletes a schedule, with an audit entry. Returns it; undefined for an unknown one. */
  delete(id: string, auditOf: (deleted: ScheduleRecord) => AuditRecord | undefined): Promise<ScheduleRecord | undefined>;
  deleteAll(appName: string): Promise<void>;
  /** Counts the app's schedules that its manifest does not declare, except the one with this activity and key. */
  countOthers(appName: string, activity: string, key: string): Promise<number>;
  /** Returns schedules, sorted by app, activity and key. `page`: those that follow another one. */
  list(
    appName: string | undefined,
    page?: { readonly after: ScheduleRecord | undefined; readonly limit: number },
  ): Promise<readonly ScheduleRecord[]>;
  /** Returns active schedules that are due, oldest first. */
  due(now: Date): Promise<readonly ScheduleRecord[]>;
  /** Moves the next run. Returns false if another replica moved it, or if the schedule is no longer active. */
  advance(schedule: ScheduleMoment, nextRunAt: Date): Promise<boolean>;
  /** Stores that the schedule could not start its run, and when it is tried again. Changes nothing if it was moved. */
  postpone(schedule: ScheduleMoment, retryAt: Date, error: string): Promise<void>;
}

/** Checks JSON Schemas and inputs against them. */
export interface InputSchemas {
  /** Returns why the text is not a usable schema; undefined if it is usable. */
  problem(schema: string): Promise<string | undefined>;
  /**
   * Returns the violations of the schema, up to a limit; `input` is JSON. Fields start with `input`. An input that takes too
   * long to check breaks the schema.
   */
  violations(schema: string, input: string): Promise<readonly FieldViolation[]>;
  close(): Promise<void>;
}

/** Changes of runs, of every replica. */
export interface RunChanges {
  /** Yields for every change of the run from now on. Changes between two reads are merged into one. Ends with the signal. */
  changes(runId: string, signal: AbortSignal): AsyncIterable<void>;
}
