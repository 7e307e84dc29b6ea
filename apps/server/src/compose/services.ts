import { type Access, AnnouncedAuthorization, createAccess, PermissionChangesWatch } from "@appserver/access";
import { type Activity, activityMigrations, createActivity } from "@appserver/activity";
import { systemEventOf } from "@appserver/contracts/events";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { createHooks, type ForwardKeys, type Hooks, hooksMigrations } from "@appserver/hooks";
import { type BufferBudget, LiveConnections, readPermissionChanges, SqlIdempotencyKeys } from "@appserver/kernel";
import type {
  AuditLog,
  Authorization,
  Endpoint,
  IdempotencyKeys,
  Migration,
  Outbound,
  RequestLog,
} from "@appserver/kernel/ports";
import {
  assetReader,
  createLiveApps,
  createMarketplace,
  keepsDeliveries,
  type LiveApps,
  type Marketplace,
  marketplaceMigrations,
  runsActivities,
} from "@appserver/marketplace";
import {
  type AppLogs,
  createAppLogs,
  createDeployments,
  createWorkloadIdentities,
  type IssuedIdentities,
  orchestrationMigrations,
} from "@appserver/orchestration";
import { HttpOutbound } from "@appserver/outbound-http";
import { type AppProxy, createCircuitEvents, createProxy } from "@appserver/proxy";
import { createRecords, type Records, recordsMigrations, SqlAuditLog } from "@appserver/records";
import {
  createAutoUpgrades,
  createImageStages,
  createSecretSeal,
  createSettings,
  type SettingsService,
  settingsMigrations,
} from "@appserver/settings";
import type { EventFanout } from "@appserver/transports/events";
import { problemOf } from "@appserver/transports/graphql";
import { assetUrl, createUi, type Ui } from "@appserver/ui";
import { processName } from "../process-name.ts";
import { appAssets } from "../wiring/app-assets.ts";
import { toActivityApp, toHookApp, toSettingsApp } from "../wiring/app-forms.ts";
import { appKeys } from "../wiring/app-keys.ts";
import { appNotifications, appNotificationTypes } from "../wiring/app-notifications.ts";
import { corruptAssets } from "../wiring/corrupt-assets.ts";
import { eventNotifications, eventNotificationTypes } from "../wiring/event-notifications.ts";
import { createForwardKeys } from "../wiring/forward-keys.ts";
import { hookNotifications, hookNotificationTypes } from "../wiring/hook-notifications.ts";
import { loggedApps } from "../wiring/logged-apps.ts";
import { proxiedApps } from "../wiring/proxied-apps.ts";
import { settingsNotifications, settingsNotificationTypes } from "../wiring/settings-notifications.ts";
import { upstreamWarnings } from "../wiring/upstream-warnings.ts";
import { activityParticipant, containersParticipant, hooksParticipant, settingsParticipant } from "./participants.ts";
import type { Drivers, ServerOptions } from "./server-options.ts";

/** The tables of every service, in order of creation. Drivers bring their own migrations. */
export const serviceMigrations: readonly Migration[] = [
  ...recordsMigrations,
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
  readonly records: Records;
  readonly idempotencyKeys: IdempotencyKeys;
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
    readonly permissions: Access["permissions"];
    readonly audit: AuditLog;
    readonly budget: BufferBudget;
    readonly source: string;
  };

/** Types of events that subscriptions of any replica receive. */
export const fanoutTypes: readonly string[] = [
  ...new Set([...appNotificationTypes, ...settingsNotificationTypes, ...hookNotificationTypes, ...eventNotificationTypes]),
];

/** Creates the services on the given drivers. */
export function createServices(
  drivers: Drivers,
  options: ServerOptions,
  fanout: EventFanout,
  ownPorts: () => readonly number[],
): Services {
  const { clock, logger } = options;
  const { database, outbox, broker } = drivers;
  const source = `/appserver/${options.instance}`;
  const authorization = new AnnouncedAuthorization({ authorization: drivers.authorization, database, outbox, clock, source });
  const audit = new SqlAuditLog({ database, clock });
  const { budget } = options;
  const apps = createLiveApps({ database, broker, clock, logger });
  const seal = createSecretSeal({ keys: options.settingsKeys, clock });
  const identities = createWorkloadIdentities({ database, seal, clock, logger });
  const common = { ...drivers, apps, authorization, audit, budget, clock, logger, source };
  const admission = admissionOf({ ...common, identities }, options);
  const shared: Shared = { ...common, permissions: admission.permissions };
  const settings = createSettings({
    database,
    outbox,
    permissions: shared.permissions,
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
  const records = createRecords({
    database,
    audit,
    permissions: shared.permissions,
    present: systemEventOf,
    notifications: eventNotifications(fanout),
    dropped: drivers.metrics.counter(metricCatalogue.requestsNotStored).bind({}),
    clock,
    logger,
  });
  const http = httpServicesOf({ ...shared, forwardKeys, requests: records.requestRecorder }, admission, options, outbound);
  const deployments = createDeployments({ database, clock });
  const marketplace = createMarketplace({
    ...loggedAs(shared, "marketplace"),
    metrics: drivers.metrics,
    apps,
    audit,
    leases: drivers.leases,
    queuePrefix: options.queuePrefix,
    deployments,
    settings: {
      storedKeys: (appId) => settings.storedKeys(appId),
      imageStage: (appId) => createImageStages(database).find(appId),
      autoUpgrade: (appId) => createAutoUpgrades(database).find(appId),
    },
    eventHistory: records.events,
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
    breakerState: (appName) => http.proxy.breakerState(appName) ?? "CLOSED",
    policy: options.policy,
  });
  const logs = createAppLogs({
    ...loggedAs(shared, "orchestration"),
    apps: loggedApps(apps),
  });
  const idempotencyKeys = new SqlIdempotencyKeys({ database, clock });
  const parts = {
    records,
    apps,
    identities,
    marketplace,
    settings,
    hooks,
    activity,
    logs,
    idempotencyKeys,
  };
  const { authenticator, permissions, permissionChanges } = admission;
  const access = { authenticator, permissions, permissionChanges };
  return { ...parts, ...access, outbound, audit, authorization, budget, ...http };
}

/** Protects the platform's own ports on every address of this machine. */
function openOutbound(options: ServerOptions, ownPorts: () => readonly number[]): Outbound {
  const { upstreams, clock, logger } = options;
  const own = (): readonly Endpoint[] => ownPorts().map((port) => ({ host: "127.0.0.1", port }));
  return new HttpOutbound({ ...upstreams, endpoints: () => [...upstreams.endpoints, ...own()], clock, logger });
}

function loggedAs(shared: Shared, service: string) {
  const { database, outbox, broker, authorization, permissions, clock, source } = shared;
  return {
    database,
    outbox,
    broker,
    authorization,
    permissions,
    clock,
    source,
    logger: shared.logger.child({ component: service }),
  };
}

type Admission = Access & Pick<Services, "permissionChanges">;

/** Creates what identifies callers and checks their permissions. */
function admissionOf(
  shared: Omit<Shared, "permissions"> & { readonly identities: IssuedIdentities },
  { sessionCacheTtlMs, allowedOrigins, macKey }: ServerOptions,
): Admission {
  const { apps, identities, authorization, cache, identity, metrics, clock, logger } = shared;
  const permissionChanges = new PermissionChangesWatch({ read: () => readPermissionChanges(shared.database), clock, logger });
  const access = createAccess({
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
  return { ...access, permissionChanges };
}

type HttpServices = Pick<Services, "connections" | "ui" | "proxy">;

/** Creates the components for requests of browsers and to apps. */
function httpServicesOf(
  shared: Shared & { readonly forwardKeys: ForwardKeys; readonly requests: RequestLog },
  { authenticator, permissions, rights }: Admission,
  options: ServerOptions,
  upstreams: Outbound,
): HttpServices {
  const { apps, forwardKeys, cache, identity, metrics, tracer, requests, clock, logger, database, outbox, source } = shared;
  const connections = new LiveConnections({ clock, logger });
  const ui = createUi({
    ...options.assets,
    ...corruptAssets(shared),
    store: appAssets(apps, assetReader(shared.database)),
    rights,
    clock,
    logger,
  });
  const proxy = createProxy({
    installed: proxiedApps(apps, forwardKeys),
    authenticator,
    permissions,
    rights,
    connections,
    cache,
    clock,
    logger: logger.child({ component: "proxy" }),
    metrics,
    tracer,
    requests,
    budget: shared.budget,
    sessionCookieName: identity.sessionCookieName,
    forwardSession: options.forwardSession,
    maxBodyBytes: options.maxBodyBytes,
    maxForwardedBytes: options.maxForwardedBytes,
    upstreams,
    circuitEvents: createCircuitEvents({ database, outbox, source, replica: processName }),
  });
  return { connections, ui, proxy };
}
