import {
  type Access,
  type AccessDeps,
  AnnouncedAuthorization,
  accessMigrations,
  createAccess,
  forgetAccessRequests,
  forgetAppMessages,
  PermissionChangesWatch,
} from "@appserver/access";
import { type Activity, activityMigrations, createActivity } from "@appserver/activity";
import { type Backups, backupsMigrations, createBackups } from "@appserver/backups";
import type { Deployments } from "@appserver/contracts/deployments";
import { systemEventOf } from "@appserver/contracts/events";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { createHooks, type ForwardKeys, type Hooks, hooksMigrations } from "@appserver/hooks";
import { createIncidents, type Incidents, incidentsMigrations } from "@appserver/incidents";
import { type BufferBudget, LiveConnections, readPermissionChanges, SqlIdempotencyKeys } from "@appserver/kernel";
import type { AuditLog, Authorization, Endpoint, IdempotencyKeys, Migration, Outbound } from "@appserver/kernel/ports";
import {
  assetReader,
  createLiveApps,
  createMarketplace,
  type DocumentKeys,
  keepsDeliveries,
  type LiveApps,
  type Marketplace,
  marketplaceMigrations,
  runsActivities,
} from "@appserver/marketplace";
import {
  type AppLogs,
  createAppLogs,
  createAppSnapshots,
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
  createBackupsBeforeUpgrades,
  createImageStages,
  createSecretSeal,
  createSettings,
  createSleepTimes,
  type SettingsService,
  settingsMigrations,
} from "@appserver/settings";
import { createSleep, type Sleep, sleepMigrations } from "@appserver/sleep";
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
import { createDocumentKeys, createForwardKeys } from "../wiring/forward-keys.ts";
import { hookNotifications, hookNotificationTypes } from "../wiring/hook-notifications.ts";
import { loggedApps } from "../wiring/logged-apps.ts";
import { proxiedApps } from "../wiring/proxied-apps.ts";
import { settingsNotifications, settingsNotificationTypes } from "../wiring/settings-notifications.ts";
import { appWork, sleepApps, sleepSettings } from "../wiring/sleep-parts.ts";
import { upstreamWarnings } from "../wiring/upstream-warnings.ts";
import { observedBy } from "./incidents.ts";
import { activityParticipant, containersParticipant, hooksParticipant, settingsParticipant } from "./participants.ts";
import type { Drivers, ServerOptions } from "./server-options.ts";

/** The tables of every service, in order of creation. Drivers bring their own migrations. */
export const serviceMigrations: readonly Migration[] = [
  ...recordsMigrations,
  ...marketplaceMigrations,
  ...orchestrationMigrations,
  ...accessMigrations,
  ...settingsMigrations,
  ...activityMigrations,
  ...hooksMigrations,
  ...sleepMigrations,
  ...incidentsMigrations,
  ...backupsMigrations,
];

/** The services of the application server, created but not started. */
export interface Services {
  readonly apps: LiveApps;
  readonly identities: IssuedIdentities;
  readonly marketplace: Marketplace;
  readonly settings: SettingsService;
  readonly hooks: Hooks;
  readonly incidents: Incidents;
  readonly backups: Backups;
  readonly activity: Activity;
  readonly logs: AppLogs;
  readonly ui: Ui;
  readonly proxy: AppProxy;
  readonly sleep: Sleep;
  readonly authenticator: Access["authenticator"];
  readonly machines: Access["machines"];
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

/** What every service gets. */
type Base = Omit<Drivers, "authorization"> &
  Pick<ServerOptions, "clock" | "logger" | "budget"> & {
    readonly authorization: Authorization;
    readonly audit: AuditLog;
    readonly source: string;
  };
type Checked = Base & Pick<Access, "permissions">;

/** Types of events that subscriptions of any replica receive. */
export const fanoutTypes: readonly string[] = [
  ...new Set([...appNotificationTypes, ...settingsNotificationTypes, ...hookNotificationTypes, ...eventNotificationTypes]),
];

/** Creates the services on the given drivers, each after those that it uses. */
export function createServices(
  drivers: Drivers,
  options: ServerOptions,
  fanout: EventFanout,
  ownPorts: () => readonly number[],
): Services {
  const base = baseOf(drivers, options);
  const { database, clock } = base;
  const apps = createLiveApps(base);
  const identities = createWorkloadIdentities({ ...base, seal: createSecretSeal({ keys: options.settingsKeys, clock }) });
  const permissionChanges = new PermissionChangesWatch({ ...base, read: () => readPermissionChanges(database) });
  const access = accessOf(base, { keys: appKeys(apps, identities), changes: permissionChanges }, options);
  const checked: Checked = { ...base, permissions: access.permissions };
  const outbound = outboundOf(options, ownPorts);
  const forwardKeys = createForwardKeys({ apps, identities, platformKey: options.macKey });
  const settings = settingsOf(checked, apps, options, fanout);
  const records = recordsOf(checked, fanout);
  const hooks = hooksOf(checked, { apps, outbound, forwardKeys, records }, options, fanout);
  const incidents = incidentsOf(checked, { apps, hooks, records }, options);
  const activity = activityOf(checked, { apps, outbound, forwardKeys }, options);
  const connections = new LiveConnections(base);
  const ui = uiOf(base, { apps, access }, options);
  const deployments = createDeployments(base);
  const proxy = proxyOf(checked, { apps, access, connections, outbound, forwardKeys, records, deployments }, options);
  const sleep = sleepOf(base, { apps, hooks, activity, proxy, deployments }, options);
  const documentKeys = createDocumentKeys({ identities, platformKey: options.macKey });
  const parts = { apps, settings, hooks, activity, records, proxy, outbound, deployments, documentKeys, sleep };
  const marketplace = marketplaceOf(checked, parts, options, fanout);
  const logs = createAppLogs({ ...loggedAs(checked, "orchestration"), apps: loggedApps(apps) });
  return {
    apps,
    identities,
    authenticator: access.authenticator,
    machines: access.machines,
    permissions: access.permissions,
    permissionChanges,
    authorization: base.authorization,
    audit: base.audit,
    budget: base.budget,
    idempotencyKeys: new SqlIdempotencyKeys(base),
    outbound,
    settings,
    hooks,
    incidents,
    backups: createBackups(base),
    activity,
    records,
    connections,
    ui,
    proxy,
    sleep,
    marketplace,
    logs,
  };
}

function baseOf(drivers: Drivers, { instance, clock, logger, budget }: ServerOptions): Base {
  const { database, outbox } = drivers;
  const source = `/appserver/${instance}`;
  const authorization = new AnnouncedAuthorization({ authorization: drivers.authorization, database, outbox, clock, source });
  return { ...drivers, authorization, audit: new SqlAuditLog({ database, clock }), budget, clock, logger, source };
}

/** Returns the base with a logger that names the service. */
function loggedAs<B extends Base>(base: B, component: string): B {
  return { ...base, logger: base.logger.child({ component }) };
}

/** Creates what identifies callers and checks their permissions. */
function accessOf(
  base: Base,
  parts: Pick<AccessDeps, "keys" | "changes">,
  { sessionCacheTtlMs, allowedOrigins, macKey }: ServerOptions,
): Access {
  return createAccess({ ...loggedAs(base, "access"), ...parts, macKey, sessionCacheTtlMs, allowedOrigins });
}

/** Protects the platform's own ports on every address of this machine. */
function outboundOf({ upstreams, clock, logger }: ServerOptions, ownPorts: () => readonly number[]): Outbound {
  const own = (): readonly Endpoint[] => ownPorts().map((port) => ({ host: "127.0.0.1", port }));
  return new HttpOutbound({ ...upstreams, endpoints: () => [...upstreams.endpoints(), ...own()], clock, logger });
}

function settingsOf(
  base: Checked,
  apps: LiveApps,
  { settingsKeys, policy }: ServerOptions,
  fanout: EventFanout,
): SettingsService {
  const find = async (appId: string) => {
    const live = await apps.currentById(appId);
    return live && toSettingsApp(live, policy.replicaLimit);
  };
  return createSettings({
    ...base,
    keys: settingsKeys,
    apps: { find },
    notifications: settingsNotifications(fanout),
    problemOf,
  });
}

function hooksOf(
  base: Checked,
  parts: Pick<Services, "apps" | "outbound" | "records"> & { readonly forwardKeys: ForwardKeys },
  { macKey, hooksPolicy, settingsKeys: keys, mail, configuredTargets, clock }: ServerOptions,
  fanout: EventFanout,
): Hooks {
  const { apps, outbound, forwardKeys, records } = parts;
  return createHooks({
    ...loggedAs(base, "hooks"),
    targets: { events: records.events, mail, seal: createSecretSeal({ keys, clock }), configured: configuredTargets },
    forgetDecisions: (subject) => base.permissions.invalidate(subject),
    apps: apps.view(keepsDeliveries, toHookApp),
    notifications: hookNotifications(fanout),
    transport: outbound,
    forwardKeys,
    platformKeys: [macKey],
    policy: hooksPolicy,
  });
}

function incidentsOf(
  base: Checked,
  { apps, hooks, records }: Pick<Services, "apps" | "hooks" | "records">,
  { watched }: ServerOptions,
): Incidents {
  const observed = observedBy({ apps, hooks, database: base.database }, watched);
  return createIncidents({ ...loggedAs(base, "incidents"), events: records.events, observed });
}

function activityOf(
  base: Checked,
  parts: Pick<Services, "apps" | "outbound"> & { readonly forwardKeys: ForwardKeys },
  { macKey, maxQueuedRunsPerApp }: ServerOptions,
): Activity {
  const { apps, outbound, forwardKeys } = parts;
  return createActivity({
    ...loggedAs(base, "activity"),
    apps: apps.view(runsActivities, toActivityApp),
    maxQueuedRunsPerApp,
    transport: outbound,
    forwardKeys,
    platformKeys: [macKey],
  });
}

function recordsOf(base: Checked, fanout: EventFanout): Records {
  return createRecords({
    ...base,
    present: systemEventOf,
    notifications: eventNotifications(fanout),
    dropped: base.metrics.counter(metricCatalogue.requestsNotStored).bind({}),
  });
}

function uiOf(
  base: Base,
  { apps, access }: { readonly apps: LiveApps; readonly access: Access },
  { assets }: ServerOptions,
): Ui {
  return createUi({
    ...base,
    ...assets,
    ...corruptAssets(base),
    store: appAssets(apps, assetReader(base.database)),
    rights: access.rights,
  });
}

interface ProxyParts extends Pick<Services, "apps" | "connections" | "outbound" | "records"> {
  readonly access: Access;
  readonly forwardKeys: ForwardKeys;
  readonly deployments: Deployments;
}

function proxyOf(base: Checked, parts: ProxyParts, options: ServerOptions): AppProxy {
  const { apps, access, connections, outbound, forwardKeys, records, deployments } = parts;
  const { forwardSession, maxBodyBytes, maxForwardedBytes, publicWakes, wakeTimeoutMs } = options;
  return createProxy({
    ...loggedAs(base, "proxy"),
    installed: proxiedApps(apps, forwardKeys),
    authenticator: access.authenticator,
    rights: access.rights,
    connections,
    requests: records.requestRecorder,
    sessionCookieName: base.identity.sessionCookieName,
    forwardSession,
    maxBodyBytes,
    maxForwardedBytes,
    upstreams: outbound,
    wakes: deployments,
    publicWakes,
    wakeTimeoutMs,
    circuitEvents: createCircuitEvents({ ...base, replica: processName }),
  });
}

function sleepOf(
  base: Base,
  {
    apps,
    hooks,
    activity,
    proxy,
    deployments,
  }: Pick<Services, "apps" | "hooks" | "activity" | "proxy"> & {
    readonly deployments: Deployments;
  },
  { sleepAfterMs }: ServerOptions,
): Sleep {
  return createSleep({
    ...loggedAs(base, "sleep"),
    apps: sleepApps(apps),
    takeUsed: () => proxy.takeUsed(),
    work: appWork(hooks, activity),
    settings: sleepSettings(createSleepTimes(base.database)),
    deployments,
    sleepAfterMs,
  });
}

interface MarketplaceParts
  extends Pick<Services, "apps" | "settings" | "hooks" | "activity" | "records" | "proxy" | "outbound" | "sleep"> {
  readonly deployments: Deployments;
  readonly documentKeys: DocumentKeys;
}

function marketplaceOf(base: Checked, parts: MarketplaceParts, options: ServerOptions, fanout: EventFanout): Marketplace {
  const { apps, settings, hooks, activity, records, proxy, outbound, deployments, documentKeys, sleep } = parts;
  const { database } = base;
  return createMarketplace({
    ...loggedAs(base, "marketplace"),
    apps,
    queuePrefix: options.queuePrefix,
    deployments,
    snapshots: createAppSnapshots(base),
    settings: {
      storedKeys: (appId) => settings.storedKeys(appId),
      imageStage: (appId) => createImageStages(database).find(appId),
      autoUpgrade: (appId) => createAutoUpgrades(database).find(appId),
      backupBeforeUpgrade: (appId) => createBackupsBeforeUpgrades(database).find(appId),
    },
    eventHistory: records.events,
    healthProber: outbound,
    documents: { outbound, keys: documentKeys },
    notifications: appNotifications(fanout),
    participants: [
      settingsParticipant(settings, options.policy.replicaLimit),
      hooksParticipant(hooks),
      activityParticipant(activity),
      containersParticipant(deployments),
      { name: "sleep", forget: ({ id }) => sleep.forget(id) },
      { name: "records", forget: ({ name }) => records.forget(name) },
      { name: "requests for access", forget: ({ name }) => forgetAccessRequests(database, name) },
      {
        name: "messages to people",
        purge: ({ name }) => forgetAppMessages(database, name),
        forget: ({ name }) => forgetAppMessages(database, name),
      },
      { name: "upstream addresses", manifestWarnings: upstreamWarnings(outbound) },
    ],
    assetUrl,
    breakerState: (appName) => proxy.breakerState(appName) ?? "CLOSED",
    gallery: options.gallery,
    policy: options.policy,
  });
}
