import { metricCatalogue } from "@appserver/contracts/metrics";
import {
  BacklogQuota,
  type Call,
  type Clock,
  type Component,
  type Logger,
  type Permissions,
  type ReadPart,
  uuidv7,
} from "@appserver/kernel";
import type { AuditLog, Broker, Database, Metrics, Outbox, Subscription, Transaction } from "@appserver/kernel/ports";
import { SqlDeliveryReads } from "./adapters/sql-delivery-reads.ts";
import { SqlDeliveryStore } from "./adapters/sql-delivery-store.ts";
import { SqlEventReads } from "./adapters/sql-event-reads.ts";
import { SqlSubscriptionStore } from "./adapters/sql-subscription-store.ts";
import { hooksChannel } from "./adapters/store-triggers.ts";
import { observePermissions } from "./api/events.ts";
import { type EventNode, eventPresenter, hooksResolvers } from "./api/graphql.ts";
import { hooksGrpc } from "./api/grpc.ts";
import { createTargets, type Targets, type TargetsDeps } from "./create-targets.ts";
import type { Delivery, EventSummary } from "./domain/delivery.ts";
import type {
  DeadLetterHolder,
  DeclaredHooks,
  DeliveryReads,
  ForwardKeys,
  HookApps,
  HookNotifications,
  PushTransport,
} from "./ports.ts";
import type { HooksContext, HooksOptions, HooksPolicy } from "./use-cases/context.ts";
import { permittedSources, refreshSources } from "./use-cases/hook-sources.ts";
import { readTracedDeliveries, readTracedEvents } from "./use-cases/read-traced.ts";
import { type OnCreateCommand, runOnCreate } from "./use-cases/run-on-create.ts";
import { type TriggerCommand, type TriggeredHook, triggerHook } from "./use-cases/trigger-hook.ts";
import { Dispatcher } from "./workers/dispatcher.ts";
import { periodicWork } from "./workers/periodic-work.ts";
import { PushRoutes } from "./workers/push-routes.ts";
import { Streams } from "./workers/streams.ts";

export { hooksMigrations } from "../migrations/index.ts";
export { resealTargets } from "./adapters/targets/reseal-targets.ts";
export { type EventNode, presentDelivery } from "./api/graphql.ts";
export type { TargetsDeps } from "./create-targets.ts";
export type { Delivery, EventSummary } from "./domain/delivery.ts";
export type { PushAnswer } from "./domain/push-answer.ts";
export type {
  Backend,
  DeclaredHook,
  DeclaredHooks,
  ForwardKeys,
  HookApp,
  HookApps,
  HookNotifications,
  HookTrigger,
  PushTransport,
} from "./ports.ts";
export type { HooksOptions } from "./use-cases/context.ts";
export type { OnCreateCommand } from "./use-cases/run-on-create.ts";
export type { ConfiguredTargets } from "./use-cases/targets/configure-targets.ts";
export type { TriggerCommand, TriggeredHook } from "./use-cases/trigger-hook.ts";

/** Closed streams per delivery that are not counted as retries. */
const freeDisconnects = 10;
const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const targetDelays = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
  12 * hour,
];
/** Limits and times without an option. */
const fixedPolicy = {
  // Together 28 hours.
  targetRetry: { delaysMs: targetDelays, freeDisconnects },
  pushConcurrency: 8,
  finishedRetentionMs: 7 * 86_400_000,
  deadRetentionMs: 30 * 86_400_000,
} as const;

export interface HooksDeps {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly broker: Pick<Broker, "observe">;
  readonly permissions: Permissions;
  /** Drops decisions about a subject that were made before now. An installation grants permissions right before it declares hooks. */
  readonly forgetDecisions: (subject: string) => Promise<void>;
  readonly audit: AuditLog;
  readonly metrics: Metrics;
  readonly apps: HookApps;
  readonly notifications: HookNotifications;
  /** Must keep to the address rules of proxied calls. */
  readonly transport: PushTransport;
  /** The secrets that POSTs to backends are also signed with. */
  readonly forwardKeys: ForwardKeys;
  /** At least one key of 16 bytes or more. Derived keys sign the POSTs. The first is the newest. */
  readonly platformKeys: readonly Uint8Array[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
  readonly policy: HooksOptions;
  readonly targets: TargetsDeps;
}

/** Hooks: at-least-once messages between apps (docs/interface/hooks.md). */
export interface Hooks extends Component {
  /** Resolvers of its part of the GraphQL schema. */
  readonly resolvers: ReturnType<typeof hooksResolvers>;
  /** Resolvers of the part of the schema about notification targets. */
  readonly targetResolvers: Targets["resolvers"];
  /** The methods of `appserver.v2.HooksService`. */
  readonly grpc: ReturnType<typeof hooksGrpc>;
  /** What belongs to traces. */
  readonly traced: {
    readonly events: ReadPart<EventSummary>;
    readonly deliveries: ReadPart<Delivery>;
  };
  /** The apps to which deliveries are due, or being sent. */
  readonly work: Pick<DeliveryReads, "dueApps" | "busyApps">;
  /** Returns the apps and notification targets with deliveries that were given up. */
  deadLetterHolders(): Promise<readonly DeadLetterHolder[]>;
  /** Returns events as GraphQL shows them. */
  presentEvents(events: readonly EventSummary[]): readonly EventNode[];
  trigger(command: TriggerCommand, call: Call): Promise<TriggeredHook>;
  /** Reads what an app may subscribe to. Returns what stores its declared subscriptions, in the caller's transaction. */
  declarations(app: DeclaredHooks): Promise<(tx: Transaction) => Promise<void>>;
  /** Ends every subscription of an app that is not installed any longer, in the caller's transaction. */
  unsubscribe(tx: Transaction, appName: string): Promise<void>;
  /** Must be called after each change of an app. */
  appChanged(appName: string): void;
  /** Deletes what is stored under the name of an app whose registration is deleted. Safe to repeat. */
  forget(appName: string): Promise<void>;
  /** Runs the `on_create` hooks of an installation. */
  onCreate(command: OnCreateCommand): Promise<void>;
}

/** How long a subscription outlives the stream that created it, so that an app that restarts misses no event. */
const streamSubscriptionMs = 3_600_000;
const replicaTimeoutMs = 8_000;

export function createHooks(deps: HooksDeps): Hooks {
  const { database, outbox, audit, source, clock, logger } = deps;
  const policy: HooksPolicy = { ...fixedPolicy, ...deps.policy, retry: { freeDisconnects, ...deps.policy.retry } };
  const replica = uuidv7();
  const claimMs = 2 * policy.answerTimeoutMs;
  const deliveryReads = new SqlDeliveryReads(database);
  const context: HooksContext = {
    deliveryReads,
    eventReads: new SqlEventReads(database),
    deliveries: new SqlDeliveryStore({ database, outbox, audit, source, streamSubscriptionMs, replica, claimMs, clock }),
    subscriptions: new SqlSubscriptionStore({ database, replica, replicaTimeoutMs, streamSubscriptionMs }),
    apps: deps.apps,
    permissions: deps.permissions,
    quota: new BacklogQuota({
      max: policy.maxWaitingPerApp,
      what: "deliveries of its hooks",
      count: (appName, limit) => deliveryReads.waitingOf(appName, limit),
      clock,
      logger,
    }),
    notifications: deps.notifications,
    transport: deps.transport,
    forwardKeys: deps.forwardKeys,
    metrics: deps.metrics,
    platformKeys: deps.platformKeys,
    policy,
    clock,
    logger,
  };
  observeDeliveries(deps.metrics, deliveryReads);
  const dispatcher = new Dispatcher(context);
  const streams = new Streams(context, dispatcher);
  const pushRoutes = new PushRoutes(context, dispatcher);
  const periodic = periodicWork(context, dispatcher);
  const targets = createTargets({ ...context, database, audit, dispatcher, timeoutMs: policy.answerTimeoutMs }, deps.targets);
  const subscribersChanged = (): void => {
    pushRoutes.refreshSoon();
    targets.refreshSoon();
  };
  let listening: { close(): Promise<void> } | undefined;
  let observing: Subscription | undefined;

  return {
    name: "hooks",
    resolvers: hooksResolvers(context),
    targetResolvers: targets.resolvers,
    grpc: hooksGrpc({ ...context, streams }),
    traced: {
      events: (traceIds, limit, call) => readTracedEvents(context, traceIds, limit, call),
      deliveries: (traceIds, limit, call) => readTracedDeliveries(context, traceIds, limit, call),
    },
    deadLetterHolders: () => deliveryReads.deadLetterHolders(),
    presentEvents: (events) => events.map(eventPresenter(context, events)),
    work: deliveryReads,
    trigger: (command, call) => triggerHook(context, command, call),
    onCreate: (command) => runOnCreate(context, command),
    forget: (appName) => context.deliveries.forget(appName),
    declarations: async (app) => {
      const hookNames = app.hooks.map(({ hookName }) => hookName);
      if (hookNames.length > 0)
        await deps.forgetDecisions(`app:${app.name}`).catch((error: unknown) => {
          logger.warn({ err: error, app: app.name }, "hooks: the cache of permissions does not respond; decisions expire");
        });
      const sources = await permittedSources(context, app.name, hookNames);
      return (tx) => context.subscriptions.declare(tx, app, sources);
    },
    unsubscribe: (tx, appName) => context.subscriptions.remove(tx, appName),
    appChanged: (appName) => {
      pushRoutes.refreshSoon();
      dispatcher.appChanged(appName).catch((error: unknown) => {
        logger.warn({ err: error, app: appName }, "hooks: could not read a changed app");
      });
      context.deliveries.dropUnsubscribed(appName).catch((error: unknown) => {
        const message = "hooks: could not drop the deliveries of an uninstalled app; retrying at the next interval";
        logger.warn({ err: error, app: appName }, message);
      });
    },
    start: async () => {
      await streams.join();
      listening ??= await database.listen(
        hooksChannel,
        (appName) => {
          if (appName === "") subscribersChanged();
          else dispatcher.wake(appName);
        },
        () => {
          subscribersChanged();
          dispatcher.wakeAll();
        },
      );
      observing ??= await observePermissions(deps.broker, (appName) => {
        refreshSources(context, appName).catch((error: unknown) =>
          logger.warn({ err: error, app: appName }, "hooks: could not read changed permissions; retrying at the next interval"),
        );
      });
      // Before what cannot be started twice: a start that rejects is repeated.
      await targets.start?.();
      streams.start();
      dispatcher.start();
      pushRoutes.start();
      periodic.start();
    },
    stop: async () => {
      const idle = periodic.stop();
      await observing?.close();
      await streams.stop();
      await pushRoutes.stop();
      await targets.stop?.();
      await dispatcher.stop();
      await listening?.close();
      await idle;
      await context.subscriptions
        .leave()
        .catch((error: unknown) =>
          logger.debug({ err: error }, "hooks: could not remove this replica; other replicas remove it after a timeout"),
        );
    },
  };
}

/** Registers gauges that are counted in the database at each scrape. */
function observeDeliveries(metrics: Metrics, deliveries: DeliveryReads): void {
  metrics.observe(metricCatalogue.hookDeliveriesUnfinished, async () =>
    [...(await deliveries.unfinished())].map(([status, value]) => ({ labels: { status }, value })),
  );
  metrics.observe(metricCatalogue.hookDeadLetters, async () => [{ labels: {}, value: await deliveries.deadLetters() }]);
}
