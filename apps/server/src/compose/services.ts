import { type Access, type AccessMode, AnnouncedAuthorization, createAccess, PermissionChangesWatch } from "@appserver/access";
import { type Activity, activityMigrations, createActivity } from "@appserver/activity";
import { createHooks, type ForwardKeys, type Hooks, type HooksOptions, hooksMigrations } from "@appserver/hooks";
import {
  type BufferBudget,
  type Clock,
  LiveConnections,
  type Logger,
  readPermissionChanges,
  SqlAuditLog,
} from "@appserver/kernel";
import type {
  AddressRules,
  AuditLog,
  Authorization,
  Broker,
  Cache,
  Database,
  Endpoint,
  IdentityProvider,
  Leases,
  Metrics,
  Migration,
  Outbound,
  Outbox,
  Tracer,
} from "@appserver/kernel/ports";
import {
  type AppParticipant,
  type AppRecord,
  createAssetFiles,
  createLiveApps,
  createMarketplace,
  keepsDeliveries,
  type LiveApps,
  type Marketplace,
  type MarketplacePolicy,
  marketplaceMigrations,
  runsActivities,
} from "@appserver/marketplace";
import {
  type AppLogs,
  createAppLogs,
  createDeployments,
  createWorkloadIdentities,
  type Deployments,
  type IssuedIdentities,
  orchestrationMigrations,
} from "@appserver/orchestration";
import { UndiciOutbound } from "@appserver/outbound-undici";
import { type AppProxy, createProxy } from "@appserver/proxy";
import {
  createAutoUpgrades,
  createImageStages,
  createSecretSeal,
  createSettings,
  type EncryptionKeys,
  type SettingsService,
  settingsMigrations,
} from "@appserver/settings";
import type { EventFanout } from "@appserver/transports/events";
import { problemOf } from "@appserver/transports/graphql";
import type { GrpcListenerOptions } from "@appserver/transports/grpc";
import { assetUrl, createUi, type Ui, type UiDeps } from "@appserver/ui";
import { appAssets } from "../wiring/app-assets.ts";
import { toActivityApp, toHookApp, toSettingsApp } from "../wiring/app-forms.ts";
import { appKeys } from "../wiring/app-keys.ts";
import { appNotifications, appNotificationTypes } from "../wiring/app-notifications.ts";
import { corruptAssets } from "../wiring/corrupt-assets.ts";
import { createForwardKeys } from "../wiring/forward-keys.ts";
import { hookNotifications, hookNotificationTypes } from "../wiring/hook-notifications.ts";
import { loggedApps } from "../wiring/logged-apps.ts";
import { proxiedApps, type RouteDefaults } from "../wiring/proxied-apps.ts";
import { settingsNotifications, settingsNotificationTypes } from "../wiring/settings-notifications.ts";
import { upstreamWarnings } from "../wiring/upstream-warnings.ts";
import type { FrontDoor } from "./front-door.ts";

/** One started driver of each family. Services do not depend on which driver it is. */
export interface Drivers {
  readonly database: Database;
  readonly broker: Broker;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly cache: Cache;
  readonly authorization: Authorization;
  readonly identity: IdentityProvider;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

export interface ServerOptions {
  /** Id of this installation in container labels and event sources. */
  readonly instance: string;
  /** Already open. It serves requests once all components behind it run. */
  readonly frontDoor: FrontDoor;
  readonly grpc: Pick<
    GrpcListenerOptions,
    "host" | "port" | "allowedHosts" | "tls" | "reflection" | "limits" | "shutdownTimeoutMs"
  >;
  /** Access to GraphQL and gRPC for callers without credentials. */
  readonly access: AccessMode;
  /** Whether every caller may introspect the GraphQL schema. Administrators always may. */
  readonly introspection: boolean;
  /** At least 16 bytes. Authenticates the data that replicas share in the cache. */
  readonly macKey: Uint8Array;
  readonly hooksPolicy: HooksOptions;
  /** Maximum number of queued activity runs of one app. */
  readonly maxQueuedRunsPerApp: number;
  /** Keys for the encryption of stored settings. */
  readonly settingsKeys: EncryptionKeys;
  readonly policy: MarketplacePolicy;
  /**
   * Address rules for apps' upstreams, and the endpoints of the platform's dependencies, which upstreams may not use. The
   * platform's own ports are added.
   */
  readonly upstreams: AddressRules & { readonly endpoints: readonly Endpoint[] };
  /** Time to cache a session check; with 0 every request checks (docs/interface/permissions.md#sessions). */
  readonly sessionCacheTtlMs: number;
  /** Origins, in addition to the platform's own, whose pages may use a session cookie for changes. */
  readonly allowedOrigins: readonly string[];
  /** Whether headers that a manifest lists are forwarded unchanged, including a session in them. */
  readonly forwardSession: boolean;
  readonly routeDefaults: RouteDefaults;
  readonly graphqlMaxBodyBytes: number;
  readonly assets: Pick<UiDeps, "cacheBytes" | "cacheTtlMs" | "unversionedCache">;
  /** Budget of all data that listeners buffer. */
  readonly budget: BufferBudget;
  /** Called when another process changed permissions, before they are checked again. */
  readonly onPermissionsChanged?: () => void;
  /** Prefix of the server's durable queues (docs/interface/events.md#broker-layout). */
  readonly queuePrefix: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The tables of every service, in order of creation. Drivers bring their own migrations. */
export const serviceMigrations: readonly Migration[] = [
  ...marketplaceMigrations,
  ...orchestrationMigrations,
  ...settingsMigrations,
  ...activityMigrations,
  ...hooksMigrations,
];

/** The services of the application server, created but not started. */
export interface Services {
  readonly apps: LiveApps;
  readonly identities: IssuedIdentities;
  readonly marketplace: Marketplace;
  readonly settings: SettingsService;
  readonly hooks: Hooks;
  readonly activity: Activity;
  readonly logs: AppLogs;
  readonly ui: Ui;
  readonly proxy: AppProxy;
  readonly authenticator: Access["authenticator"];
  readonly permissions: Access["permissions"];
  readonly permissionChanges: PermissionChangesWatch;
  /** WebSockets and streams of every listener. Their callers are checked again while they are open. */
  readonly connections: LiveConnections;
  readonly audit: AuditLog;
  readonly authorization: Authorization;
  readonly budget: BufferBudget;
  /** Sends requests to backends of apps. It is closed after the services that use it. */
  readonly outbound: Outbound;
}

/** Dependencies of every service. */
type Shared = Omit<Drivers, "authorization"> &
  Pick<ServerOptions, "clock" | "logger"> & {
    readonly apps: LiveApps;
    readonly authorization: Authorization;
    readonly audit: AuditLog;
    readonly budget: BufferBudget;
    readonly source: string;
  };

/** Types of events that subscriptions of any replica receive. */
export const fanoutTypes: readonly string[] = [
  ...new Set([...appNotificationTypes, ...settingsNotificationTypes, ...hookNotificationTypes]),
];

/** Creates the services on the given drivers. */
export function createServices(
  drivers: Drivers,
  options: ServerOptions,
  fanout: EventFanout,
  ownPorts: () => readonly number[],
): Services {
  const { clock, logger } = options;
  const { database, outbox } = drivers;
  const source = `/appserver/${options.instance}`;
  const authorization = new AnnouncedAuthorization({ authorization: drivers.authorization, database, outbox, clock, source });
  const audit = new SqlAuditLog({ database, clock });
  const { budget } = options;
  const apps = createLiveApps({ database, clock, logger });
  const shared: Shared = { ...drivers, apps, authorization, audit, budget, clock, logger, source };
  const settings = createSettings({
    database,
    outbox,
    authorization,
    clock,
    source,
    audit,
    keys: options.settingsKeys,
    apps: {
      find: async (appId) => {
        const live = await apps.currentById(appId);
        return live && toSettingsApp(live);
      },
    },
    notifications: settingsNotifications(fanout),
    problemOf,
  });
  const outbound = openOutbound(options, ownPorts);
  const seal = createSecretSeal({ keys: options.settingsKeys, clock });
  const identities = createWorkloadIdentities({ database, seal, clock, logger });
  const forwardKeys = createForwardKeys({ apps, identities, platformKey: options.macKey });
  const hooks = createHooks({
    ...loggedAs(shared, "hooks"),
    audit,
    metrics: drivers.metrics,
    apps: apps.view(keepsDeliveries, toHookApp),
    notifications: hookNotifications(fanout),
    transport: outbound,
    forwardKeys,
    platformKeys: [options.macKey],
    policy: options.hooksPolicy,
  });
  const activity = createActivity({
    ...loggedAs(shared, "activity"),
    audit,
    metrics: drivers.metrics,
    apps: apps.view(runsActivities, toActivityApp),
    maxQueuedRunsPerApp: options.maxQueuedRunsPerApp,
  });
  const entrance = entranceOf({ ...shared, identities, forwardKeys }, options, outbound);
  const deployments = createDeployments({ database, clock });
  const marketplace = createMarketplace({
    ...loggedAs(shared, "marketplace"),
    apps,
    audit,
    leases: drivers.leases,
    queuePrefix: options.queuePrefix,
    deployments: {
      find: (appId, generation) => deployments.getDeployment(appId, generation),
      outOfDate: () => deployments.outOfDate(),
      restart: (appName) => deployments.restart(appName),
      reconcile: (appName) => deployments.reconcile(appName),
      storage: (appId) => deployments.storageOf(appId),
      deleteStorage: ({ id, name }, storage, deploymentId) =>
        deployments.removeData({ appId: id, appName: name, storage, deploymentId }),
    },
    imageStages: createImageStages(database),
    storedSettings: { keys: (appId) => settings.storedKeys(appId) },
    autoUpgrades: createAutoUpgrades(database),
    healthProber: outbound,
    notifications: appNotifications(fanout),
    participants: [
      settingsParticipant(settings),
      hooksParticipant(hooks),
      activityParticipant(activity),
      containersParticipant(deployments),
      { name: "upstream addresses", manifestWarnings: upstreamWarnings(outbound) },
    ],
    assetUrl,
    breakerState: (appName) => entrance.proxy.breakerState(appName) ?? "CLOSED",
    policy: options.policy,
  });
  const logs = createAppLogs({
    ...loggedAs(shared, "orchestration"),
    permissions: entrance.permissions,
    apps: loggedApps(apps),
  });
  const parts = { apps, identities, marketplace, settings, hooks, activity, logs };
  return { ...parts, outbound, audit, authorization, budget, ...entrance };
}

function settingsParticipant(settings: SettingsService): AppParticipant {
  return {
    name: "settings",
    prepare: ({ app }) => settings.prepare(app.id),
    conditions: async ({ id }) =>
      (await settings.conditions(id)).map(({ since, ...condition }) => ({
        ...condition,
        lastTransitionTime: since.toISOString(),
      })),
    purge: ({ id }, actor = "system") => settings.purge(id, actor),
  };
}

function hooksParticipant(hooks: Hooks): AppParticipant {
  return {
    name: "hooks",
    onCreate: (live, installation) => hooks.onCreate({ app: toHookApp(live), ...installation }),
    forget: ({ name }) => hooks.forget(name),
  };
}

function containersParticipant(deployments: Pick<Deployments, "removeData">): AppParticipant {
  const removeData = ({ id, name, lastGeneration }: AppRecord): Promise<void> =>
    deployments.removeData({ appId: id, appName: name, generation: lastGeneration });
  return { name: "containers", purge: removeData, forget: removeData };
}

function activityParticipant(activity: Activity): AppParticipant {
  return {
    name: "activity",
    checkManifest: (manifest) => activity.manifestViolations(manifest),
    purge: ({ name }) => activity.purge(name),
    forget: ({ name }) => activity.forget(name),
  };
}

/** Protects the platform's own ports on every address of this machine. */
function openOutbound(options: ServerOptions, ownPorts: () => readonly number[]): Outbound {
  const { upstreams, clock, logger } = options;
  const own = (): readonly Endpoint[] => ownPorts().map((port) => ({ host: "127.0.0.1", port }));
  return new UndiciOutbound({ ...upstreams, endpoints: () => [...upstreams.endpoints, ...own()], clock, logger });
}

function loggedAs(shared: Shared, service: string) {
  const { database, outbox, broker, authorization, clock, source } = shared;
  return { database, outbox, broker, authorization, clock, source, logger: shared.logger.child({ component: service }) };
}

type Entrance = Pick<Services, "authenticator" | "permissions" | "permissionChanges" | "connections" | "ui" | "proxy">;

/** Creates the components for callers: authentication, permissions, UI and proxy. */
function entranceOf(
  shared: Shared & { readonly identities: IssuedIdentities; readonly forwardKeys: ForwardKeys },
  options: ServerOptions,
  upstreams: Outbound,
): Entrance {
  const { apps, identities, forwardKeys, authorization, cache, identity, metrics, tracer, clock, logger } = shared;
  const { sessionCacheTtlMs, allowedOrigins, macKey } = options;
  const permissionChanges = new PermissionChangesWatch({ read: () => readPermissionChanges(shared.database), clock, logger });
  const { authenticator, permissions, rights } = createAccess({
    identity,
    keys: appKeys(apps, identities),
    authorization,
    cache,
    changes: permissionChanges,
    clock,
    logger: logger.child({ component: "access" }),
    metrics,
    macKey,
    sessionCacheTtlMs,
    allowedOrigins,
  });
  const connections = new LiveConnections({ clock, logger });
  const ui = createUi({
    ...options.assets,
    ...corruptAssets(shared),
    store: appAssets(apps, createAssetFiles(shared.database)),
    rights,
    clock,
    logger,
  });
  const proxy = createProxy({
    installed: proxiedApps(apps, options.routeDefaults, forwardKeys),
    authenticator,
    permissions,
    rights,
    connections,
    cache,
    clock,
    logger: logger.child({ component: "proxy" }),
    metrics,
    tracer,
    budget: shared.budget,
    sessionCookieName: identity.sessionCookieName,
    forwardSession: options.forwardSession,
    upstreams,
  });
  return { authenticator, permissions, permissionChanges, connections, ui, proxy };
}
