import { metricCatalogue } from "@appserver/contracts/metrics";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import {
  BacklogQuota,
  type Clock,
  type Component,
  type FieldViolation,
  GroupCommit,
  isCausedByOneItem,
  type Logger,
  type Permissions,
  type ReadPart,
} from "@appserver/kernel";
import type { AuditLog, Database, Metrics, Outbox, Subscription, Transaction } from "@appserver/kernel/ports";
import { channels } from "./adapters/channels.ts";
import { ThreadedInputSchemas } from "./adapters/input-schemas/threaded-input-schemas.ts";
import { SqlDefinitionStore } from "./adapters/sql-definition-store.ts";
import { SqlRunReads } from "./adapters/sql-run-reads.ts";
import { SqlRunStore } from "./adapters/sql-run-store.ts";
import { SqlScheduleStore } from "./adapters/sql-schedule-store.ts";
import { activityResolvers, type RunNode, runNode } from "./api/graphql.ts";
import { activityGrpc } from "./api/grpc.ts";
import { readDefinition } from "./api/messages.ts";
import { type ActivityTimes, defaultTimes } from "./domain/limits.ts";
import { fromQueue, type RunRecord } from "./domain/run.ts";
import type {
  ActivityApp,
  ActivityApps,
  Assignment,
  AssignmentState,
  ForwardKeys,
  ProgressReport,
  ResultReport,
  RunReads,
  RunStore,
  RunTransport,
} from "./ports.ts";
import type { ActivityContext } from "./use-cases/context.ts";
import { declaredSchedules } from "./use-cases/declared-schedules.ts";
import { purgeApp } from "./use-cases/purge-app.ts";
import { readTracedRuns } from "./use-cases/read-runs.ts";
import { activityViolations } from "./use-cases/register-activities.ts";
import { ActivityCatalogue } from "./workers/activity-catalogue.ts";
import { Dispatcher, type WorkReports } from "./workers/dispatcher.ts";
import { periodicWork } from "./workers/periodic-work.ts";
import { PostedRuns } from "./workers/posted-runs.ts";
import { RunWatchers } from "./workers/run-watchers.ts";
import { workStreams } from "./workers/work-streams.ts";

export { activityMigrations } from "../migrations/index.ts";
export type { RunNode } from "./api/graphql.ts";
export { readDefinition } from "./api/messages.ts";
export type { ActivityDefinition } from "./domain/activity-definition.ts";
export type { ActivityTimes } from "./domain/limits.ts";
export type { RunRecord } from "./domain/run.ts";
export type { ActivityApp, ActivityApps, RunTransport } from "./ports.ts";

export interface ActivityDeps {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly permissions: Permissions;
  readonly audit: AuditLog;
  readonly metrics: Metrics;
  /** Installed apps with the activities of their manifests. */
  readonly apps: ActivityApps;
  readonly clock: Clock;
  readonly logger: Logger;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
  /** Runs of one app that may wait; then no more are queued. */
  readonly maxQueuedRunsPerApp: number;
  /** Posts runs. */
  readonly transport: RunTransport;
  /** The secrets that backends know. */
  readonly forwardKeys: ForwardKeys;
  /** Keys that sign POSTs. An app accepts any of them, so that one can replace another. */
  readonly platformKeys: readonly Uint8Array[];
  /** Tests shorten these times. */
  readonly times?: Partial<ActivityTimes>;
}

/** Background tasks of apps (docs/interface/activities.md). */
export interface Activity extends Component {
  /** Resolvers of its part of the GraphQL schema. */
  readonly resolvers: ReturnType<typeof activityResolvers>;
  /** Returns every violation of the activities in a manifest. */
  manifestViolations(manifest: Pick<AppManifest, "activities">): Promise<readonly FieldViolation[]>;
  /** Computes the schedules of a manifest. Returns what stores them, in the caller's transaction. */
  declarations(app: Pick<ActivityApp, "name" | "activities">): Promise<(tx: Transaction) => Promise<void>>;
  /** Reads an app again. Call it after each change of it. */
  appChanged(appName: string): void;
  /** Deletes the data of an app. Idempotent. */
  purge(appName: string): Promise<void>;
  /** Deletes what {@link purge} keeps, when the registration of the app is deleted. Safe to repeat. */
  forget(appName: string): Promise<void>;
  /** The runs of traces. */
  readonly traced: ReadPart<RunRecord>;
  /** Returns a run as GraphQL shows it. */
  present(run: RunRecord): RunNode;
  /** The apps that have runs to do, or in progress. */
  readonly work: Pick<RunReads, "dueApps" | "busyApps">;
  /** The methods of `appserver.v2.ActivityService`. */
  readonly grpc: ReturnType<typeof activityGrpc>;
}

export function createActivity(deps: ActivityDeps): Activity {
  return activityOf(activityParts(deps));
}

/** What the service consists of. Tests of the service use it; other packages do not see it. */
export interface ActivityParts {
  readonly context: ActivityContext;
  readonly database: Pick<Database, "listen">;
  readonly runChanges: RunWatchers;
}

export function activityParts(deps: ActivityDeps): ActivityParts {
  const { database, outbox, audit, metrics, source } = deps;
  const times = { ...defaultTimes, ...deps.times };
  const runReads = new SqlRunReads(database);
  const runs = new SqlRunStore({ database, reads: runReads, outbox, audit, metrics, source, times });
  // Served from the start, not after the first run only.
  metrics.histogram(metricCatalogue.activityRunDuration);
  metrics.observe(metricCatalogue.activityRunsUnfinished, async () =>
    [...(await runReads.unfinished())].map(([status, value]) => ({ labels: { status }, value })),
  );
  const runChanges = new RunWatchers();
  return { context: contextOf(deps, { runs, runReads, runChanges, times }), database, runChanges };
}

export function activityOf({ context, database, runChanges }: ActivityParts): Activity {
  const dispatcher = new Dispatcher(context, reportsTo(context.runs, context.clock));
  const periodic = periodicWork(context, dispatcher);
  const postedRuns = new PostedRuns(context, dispatcher);
  const listening: Subscription[] = [];

  return {
    name: "activity",
    resolvers: activityResolvers(context),
    manifestViolations: ({ activities }) => activityViolations(context, activities.map(readDefinition)),
    declarations: async ({ name, activities }) => {
      const declared = await declaredSchedules(context, name, activities);
      return (tx) => context.schedules.declare(tx, declared);
    },
    appChanged: (appName) => postedRuns.appChanged(appName),
    purge: (appName) => purgeApp(context, appName),
    forget: (appName) => context.runs.deleteAll(appName),
    traced: (traceIds, limit, call) => readTracedRuns(context, traceIds, limit, call),
    present: (run) => runNode(context, run),
    work: context.runReads,
    grpc: activityGrpc({ ...context, streams: workStreams(dispatcher) }),
    start: async () => {
      const onWork = (queueName: string): void => {
        const { appName, activity } = fromQueue(queueName);
        dispatcher.wake(appName, [activity]);
      };
      const onGap = (): void => {
        runChanges.allChanged();
        dispatcher.wakeAll();
      };
      const channelListeners = [
        () => database.listen(channels.work, onWork, onGap),
        () => database.listen(channels.cancel, (runId) => dispatcher.cancel(runId)),
        () => database.listen(channels.definitions, (appName) => context.catalogue.invalidate(appName)),
        () => database.listen(channels.runs, (runIds) => runChanges.changed(runIds.split(","))),
      ];
      // A start that is repeated continues with the first channel that is missing.
      for (const listen of channelListeners.slice(listening.length)) listening.push(await listen());
      postedRuns.start();
      periodic.start();
    },
    stop: async () => {
      await periodic.stop();
      await postedRuns.stop();
      await dispatcher.stop();
      for (const each of listening.splice(0)) await each.close();
      await context.schemas.close();
    },
  };
}

function contextOf(
  deps: ActivityDeps,
  own: Pick<ActivityContext, "runs" | "runReads" | "runChanges" | "times">,
): ActivityContext {
  const { runs, runReads } = own;
  const { database, clock, logger } = deps;
  const definitions = new SqlDefinitionStore(database);
  return {
    ...own,
    enqueue: new GroupCommit((items) => runs.enqueue(items), {
      ...batches,
      weigh: ({ input }) => input?.length ?? 0,
      ownerOf: ({ run }) => run.appName,
      deadline: { clock, ms: triggerDeadlineMs },
    }),
    schedules: new SqlScheduleStore(database, deps.audit),
    definitions,
    catalogue: new ActivityCatalogue(deps.apps, definitions, clock),
    schemas: new ThreadedInputSchemas(logger),
    metrics: deps.metrics,
    transport: deps.transport,
    forwardKeys: deps.forwardKeys,
    platformKeys: deps.platformKeys,
    permissions: deps.permissions,
    quota: new BacklogQuota({
      max: deps.maxQueuedRunsPerApp,
      what: "runs of activities",
      count: (appName, limit) => runReads.queued(appName, limit),
      clock,
      logger,
    }),
    clock,
    logger,
  };
}

/** Maximum wait for a batch. The database driver detects a database that hangs earlier than this. */
const triggerDeadlineMs = 10_000;

/** Maximum of one transaction: large enough to share its cost, small enough to end soon. */
const batches = {
  maxItems: 200,
  maxWeight: 8 * 1024 * 1024,
  isRetriedSingly: isCausedByOneItem,
};

/** A heartbeat waits so long for others, and for a result that makes it superfluous. */
const heartbeatGatherMs = 10;

function reportsTo(runs: RunStore, clock: Clock): WorkReports {
  const ownerOf = ({ appName }: Assignment): string => appName;
  const weigh = ({ outcome }: ResultReport): number => (outcome.kind === "completed" ? (outcome.output?.length ?? 0) : 0);
  return {
    heartbeat: new GroupCommit((items) => runs.heartbeat(items), {
      ...batches,
      ownerOf,
      gather: () => clock.sleep(heartbeatGatherMs),
    }),
    progress: new GroupCommit<ProgressReport, AssignmentState>((items) => runs.progress(items), { ...batches, ownerOf }),
    finish: new GroupCommit((items) => runs.finish(items), { ...batches, ownerOf, weigh }),
  };
}
