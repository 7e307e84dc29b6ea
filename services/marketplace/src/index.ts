import type { ApiDescription } from "@appserver/contracts/api-description";
import type { AppSnapshots, Deployments, MarketplaceReads } from "@appserver/contracts/deployments";
import type { BatchedPermissions, Call, Clock, Component, Logger } from "@appserver/kernel";
import type {
  AuditLog,
  Authorization,
  Broker,
  Database,
  EventHistory,
  Leases,
  Metrics,
  Outbound,
  Outbox,
  Subscription,
} from "@appserver/kernel/ports";
import { AppTuples } from "./adapters/app-tuples.ts";
import { AuthorizationAppPermissions } from "./adapters/authorization-app-permissions.ts";
import { exposeApps } from "./adapters/expose-apps.ts";
import { LeaseCommandLock } from "./adapters/lease-command-lock.ts";
import { type DocumentKeys, OutboundApiDocuments } from "./adapters/outbound-api-documents.ts";
import { makeSingleUseKey } from "./adapters/single-use-keys.ts";
import { SqlApiDescriptions } from "./adapters/sql-api-descriptions.ts";
import { SqlAppSource } from "./adapters/sql-app-source.ts";
import { SqlAppStore } from "./adapters/sql-app-store.ts";
import { SqlApprovalStore } from "./adapters/sql-approval-store.ts";
import { SqlDrains } from "./adapters/sql-drains.ts";
import { SqlGrantComparisons } from "./adapters/sql-grant-comparisons.ts";
import { SqlMarketplaceReads } from "./adapters/sql-marketplace-reads.ts";
import { namedImages } from "./adapters/sql-named-images.ts";
import { consumeDeployments } from "./api/events.ts";
import type { GraphqlDeps } from "./api/graphql/app-node.ts";
import { marketplaceResolvers } from "./api/graphql.ts";
import { marketplaceGrpc } from "./api/grpc.ts";
import { marketplaceHttp } from "./api/http.ts";
import type { LiveApp } from "./domain/live-app.ts";
import type { AppNotifications, AppParticipant, AppSettings, HealthProber } from "./ports.ts";
import type { MarketplaceContext } from "./use-cases/context.ts";
import { descriptionConditions } from "./use-cases/describe/description-conditions.ts";
import type { Gallery } from "./use-cases/gallery/gallery.ts";
import { grantConditions } from "./use-cases/grant-conditions.ts";
import type { MarketplacePolicy } from "./use-cases/policy.ts";
import { findKnownApp } from "./use-cases/read-closed-apps.ts";
import { type AppPage, readPage } from "./use-cases/read-navigation.ts";
import { operationReads } from "./use-cases/read-operations.ts";
import { UnstartedSwitches } from "./use-cases/switch/index.ts";
import { watchedApps } from "./use-cases/watch-apps.ts";
import { DrainReporter, type DrainReporterDeps } from "./workers/drain-reporter.ts";
import { ExternalHealthWatch } from "./workers/external-health-watch.ts";
import { LiveApps, type LiveAppsDeps } from "./workers/live-apps.ts";
import { periodicWork } from "./workers/periodic-work.ts";
import { type RepairedGrants, repairAllGrants } from "./workers/repair-grants.ts";

export { marketplaceMigrations } from "../migrations/index.ts";
export { type AppVersion, appVersions } from "./adapters/app-versions.ts";
export { assetReader, type ReadAsset } from "./adapters/asset-reader.ts";
export { findInstalledApp, type InstalledApp } from "./adapters/installed-app.ts";
export type { DocumentKeys } from "./adapters/outbound-api-documents.ts";
export { pruneTransitions } from "./adapters/prune-transitions.ts";
export { type AppRecord, type Condition, imageOwnerOf } from "./domain/app.ts";
export type { AppState } from "./domain/app-state.ts";
export {
  acceptsSettings,
  isKnown,
  isServed,
  keepsDeliveries,
  mayAuthenticate,
  runsActivities,
  shouldRun,
} from "./domain/app-state.ts";
export { declaredReplicas, fixedReplicas, type ReplicaRange } from "./domain/declared-replicas.ts";
export { backendOf, containerPermission, type LiveApp, type LiveRelease, upstreamOf } from "./domain/live-app.ts";
export { ownPermissions } from "./domain/own-permissions.ts";
export type { Placement } from "./domain/placement.ts";
export { holdsRequests, routedGeneration } from "./domain/releases.ts";
export { compareVersions, constraintForms, isConstraint, isVersion, satisfies } from "./domain/version-constraint.ts";
export type {
  AppNotification,
  AppNotifications,
  AppParticipant,
  Installation,
  SignedRelease,
} from "./ports.ts";
export { isRegistrationToken } from "./use-cases/admit-registration.ts";
export type { Gallery, GalleryApp } from "./use-cases/gallery/gallery.ts";
export type { MarketplacePolicy } from "./use-cases/policy.ts";
export type { DrainReporter } from "./workers/drain-reporter.ts";
export type { AppChangeNotice, AppView, LiveApps } from "./workers/live-apps.ts";
export type { RepairedGrants } from "./workers/repair-grants.ts";
export { RouteBases } from "./workers/route-bases.ts";

export interface MarketplaceDeps {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly audit: AuditLog;
  readonly leases: Leases;
  readonly broker: Broker;
  readonly authorization: Authorization;
  readonly permissions: BatchedPermissions;
  readonly deployments: Deployments;
  readonly snapshots: AppSnapshots;
  readonly eventHistory: Pick<EventHistory, "newest">;
  readonly apps: LiveApps;
  readonly participants: readonly AppParticipant[];
  readonly settings: AppSettings;
  /** Of external upstreams; must keep to the address rules of proxied calls. */
  readonly healthProber: HealthProber;
  /** Reads the documents in which apps describe their APIs; must keep to the address rules of proxied calls. */
  readonly documents: { readonly outbound: Pick<Outbound, "get">; readonly keys: DocumentKeys };
  readonly notifications: AppNotifications;
  /** Undefined on a platform that brings no apps. */
  readonly gallery: Gallery | undefined;
  readonly policy: MarketplacePolicy;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
  /** `appserver.subscriber.` (docs/interface/events.md#broker-layout). */
  readonly queuePrefix: string;
  /** Versioned URL of an asset. */
  readonly assetUrl: GraphqlDeps["assetUrl"];
  readonly breakerState: GraphqlDeps["breakerState"];
}

/** The marketplace: registration, installation and states of apps (docs/interface/states.md). */
export interface Marketplace extends Component {
  /** Resolvers of its part of the GraphQL schema. */
  readonly resolvers: ReturnType<typeof marketplaceResolvers>;
  /** The methods of `appserver.v2.MarketplaceService`. */
  readonly grpc: ReturnType<typeof marketplaceGrpc>;
  /** What people may ask for, of an app that the caller may know of. */
  findKnownApp(name: string, call: Call): Promise<LiveApp | undefined>;
  /** Returns the page of an installed and enabled app if the caller may open it. */
  findOpenPage(name: string, call: Call): Promise<AppPage | undefined>;
  /**
   * Returns what the platform read of the API of a release, which is named by the digest of its manifest. Undefined if it was not read.
   * `describedRoutes` of the contract says which of it are routes of the app.
   */
  descriptionOf(appId: string, manifestDigest: string): Promise<ApiDescription | undefined>;
  /** Its routes of REST v2. */
  readonly http: ReturnType<typeof marketplaceHttp>;
}

export function createMarketplace(deps: MarketplaceDeps): Marketplace {
  const { database, outbox, audit, source, clock, logger } = deps;
  const { apps } = deps;
  const comparisons = new SqlGrantComparisons(database, audit);
  const descriptions = new SqlApiDescriptions(database);
  const store = new SqlAppStore({
    database,
    outbox,
    audit,
    source,
    participants: deps.participants,
    memory: apps,
  });
  const context: MarketplaceContext = {
    apps,
    store,
    operationReads: operationReads({ store, deployments: deps.deployments, clock }),
    unstarted: new UnstartedSwitches(),
    approvals: new SqlApprovalStore(database, { outbox, audit, source }),
    lock: new LeaseCommandLock(deps.leases, clock),
    permissions: new AuthorizationAppPermissions(deps.authorization, deps.permissions),
    deployments: deps.deployments,
    snapshots: deps.snapshots,
    eventHistory: deps.eventHistory,
    participants: [...deps.participants, grantConditions(comparisons), descriptionConditions(descriptions)],
    settings: deps.settings,
    documents: new OutboundApiDocuments({ ...deps.documents, clock }),
    descriptions,
    gallery: deps.gallery,
    makeKey: makeSingleUseKey,
    policy: deps.policy,
    clock,
    logger,
  };
  const health = new ExternalHealthWatch(context, deps.healthProber, deps.leases);
  const periodic = periodicWork(context, health, comparisons);
  const shared = { context: { ...context, ...watchedApps(deps.notifications, store) }, assetUrl: deps.assetUrl };
  exposeApps(deps.metrics, context);
  let subscription: Subscription | undefined;

  return {
    name: "marketplace",
    resolvers: marketplaceResolvers({ ...shared, breakerState: deps.breakerState }),
    grpc: marketplaceGrpc(shared),
    findKnownApp: (name, call) => findKnownApp(context, name, call),
    findOpenPage: (name, call) => readPage(context, name, call),
    descriptionOf: (appId, manifestDigest) => descriptions.find({ appId, manifestDigest }),
    http: marketplaceHttp(context),
    start: async () => {
      subscription ??= await consumeDeployments(deps.broker, deps.queuePrefix, context, logger);
      periodic.start();
    },
    stop: async () => {
      const idle = periodic.stop();
      await subscription?.close();
      await idle;
      await health.stop();
    },
  };
}

/** Returns the registry of apps over the platform's database. It reads nothing until it is used or watched. */
export function createLiveApps({
  database,
  ...deps
}: Omit<LiveAppsDeps, "source"> & { readonly database: Database }): LiveApps {
  return new LiveApps({ ...deps, source: new SqlAppSource(database) });
}

/** Returns what reads the digests of the images of every stored release, installed or not. */
export function createNamedImages(database: Database): () => Promise<ReadonlySet<string>> {
  return () => namedImages(database);
}

/** Returns what the orchestrator reads besides the apps. */
export function createMarketplaceReads(database: Database): MarketplaceReads {
  return new SqlMarketplaceReads(database);
}

/** Removes the replicas that were killed. For a process that can be sure that no other one serves. */
export function removeKilledReplicas(database: Database): Promise<void> {
  return new SqlDrains(database).leaveAll();
}

/** Returns the worker that reports the routing of this replica. It must start before the apps are read. */
export function createDrainReporter({
  database,
  ...deps
}: Omit<DrainReporterDeps, "reports"> & { readonly database: Database }): DrainReporter {
  return new DrainReporter({ ...deps, reports: new SqlDrains(database) });
}

export interface GrantRepairOptions
  extends Pick<MarketplaceDeps, "database" | "authorization" | "outbox" | "audit" | "leases"> {
  readonly clock: Clock;
  readonly logger: Logger;
  /** For audit entries. */
  readonly actor: string;
}

/**
 * Writes the recorded grants of all installed apps that the authorization store lacks. Returns what was written, by app. Rejects with
 * SERVICE_UNAVAILABLE if the store is unreachable; a repetition continues.
 */
export function repairAppGrants({ database, audit, ...deps }: GrantRepairOptions): Promise<readonly RepairedGrants[]> {
  const repair = {
    comparisons: new SqlGrantComparisons(database, audit),
    approvals: new SqlApprovalStore(database, { outbox: deps.outbox, audit, source: "/appserver/repair" }),
    permissions: new AppTuples(deps.authorization),
    lock: new LeaseCommandLock(deps.leases, deps.clock),
    logger: deps.logger,
  };
  return repairAllGrants(repair, deps.actor);
}
