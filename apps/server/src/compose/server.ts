import cluster from "node:cluster";
import {
  createAgentAccess,
  createGroupMemberships,
  createIdentityGroups,
  createTokenExchange,
  PermissionRefresh,
} from "@appserver/access";
import { type Caller, type Lifecycle, type LiveConnection, OutboxRelay } from "@appserver/kernel";
import type { GroupMemberships } from "@appserver/kernel/ports";
import { createDrainReporter, type LiveApps, type Marketplace } from "@appserver/marketplace";
import type { AppProxy } from "@appserver/proxy";
import { MetricSampler, platformSamples } from "@appserver/records";
import { EventFanout } from "@appserver/transports/events";
import {
  DeviceLogins,
  limitedExchange,
  provisioningHandler,
  type ReadinessCheck,
  type ServiceHandlers,
  selfServiceHandler,
} from "@appserver/transports/http";
import { createAgentSignIn } from "@appserver/transports/oauth";
import { processName } from "../process-name.ts";
import { platformVersion } from "../version.ts";
import { agentChoices } from "../wiring/agent-choices.ts";
import { changesTools } from "../wiring/app-tools.ts";
import { browserSession, sessionEnd } from "../wiring/caller-access.ts";
import { pagePaths } from "../wiring/page-paths.ts";
import { measurePlatform } from "../wiring/platform-metrics.ts";
import { inviteFirstAdministrator } from "./first-administrator.ts";
import { startRegistry } from "./registry.ts";
import { retentionWork } from "./retention.ts";
import type { Drivers, ServerOptions } from "./server-options.ts";
import { createServices, fanoutTypes, type Services } from "./services.ts";
import { createListeners, type Listeners } from "./transports.ts";

export interface Server extends Pick<Listeners, "grpc" | "grpcForApps"> {
  readonly groups: GroupMemberships;
  /** Those of the main listener. */
  readonly handlers: ServiceHandlers;
  readonly apps: LiveApps;
  readonly marketplace: Marketplace;
  readonly proxy: AppProxy;
}

/** Returns the checks of /ready. Database and authorization are critical (docs/interface/operations.md#readiness). */
export function dependencyChecks({ database, authorization, broker, cache, identity }: Drivers): readonly ReadinessCheck[] {
  return [
    { name: "database", critical: true, check: () => database.ping() },
    { name: "authorization", critical: true, check: () => authorization.ping() },
    { name: "broker", critical: false, check: () => broker.ping() },
    {
      name: "cache",
      critical: false,
      check: () => (cache.healthy() ? Promise.resolve() : Promise.reject(new Error("the cache does not respond"))),
    },
    { name: "identity", critical: false, check: () => identity.ping() },
  ];
}

/**
 * Starts services and listeners of the application server on any drivers. `lifecycle` stops them in reverse order. Requests are served
 * when it resolves; /ready is 503 until the caller calls {@link MainListener.ready}.
 */
export async function startServer(lifecycle: Lifecycle, drivers: Drivers, options: ServerOptions): Promise<Server> {
  const { clock, logger, mainListener, onPermissionsChanged = () => {} } = options;
  const { database, broker, metrics } = drivers;
  const fanout = await lifecycle.use(new EventFanout(broker, fanoutTypes));
  let grpcPorts: readonly number[] = [];
  const services = createServices(drivers, options, fanout, () => [mainListener.http.address().port, ...grpcPorts]);
  const {
    apps,
    identities,
    marketplace,
    proxy,
    ui,
    permissions,
    permissionChanges,
    connections,
    hooks,
    activity,
    outbound,
    records,
  } = services;
  // Before the apps are read: a replica that is not stored must not route to an earlier generation.
  const drains = await lifecycle.use(createDrainReporter({ database, apps, routing: proxy, clock, logger }));
  proxy.onDrainChange((name) => drains.report(name));
  // Before the apps are read: requests to their containers must be signed.
  await lifecycle.use(identities);
  await lifecycle.use(apps);
  reportAppChanges(services);
  drivers.identity.onSessionsEnded?.((userId) => connections.recheck(({ caller }) => isOf(caller, userId)));
  services.machines.onEnded((id) => connections.recheck(({ caller }) => isMachine(caller, id)));
  await lifecycle.use(services.machines);
  await lifecycle.use(permissionChanges);
  await lifecycle.use(proxy);
  await lifecycle.use(connections);
  const agents = createAgentAccess({ ...drivers, audit: services.audit, clock });
  const { graphql, rest, mcp, grpc, grpcForApps } = await createListeners(services, drivers, options, agents);
  const onRefreshed = () => mcp.toolsChanged();
  apps.onChange((change) => {
    if (changesTools(change)) mcp.toolsChanged();
  });
  await lifecycle.use(
    new PermissionRefresh({ broker, permissions, permissionChanges, connections, onPermissionsChanged, onRefreshed, logger }),
  );

  await lifecycle.use(services.logs);
  await lifecycle.use(grpc);
  grpcPorts = [grpc.address().port];
  const identity = { kind: cluster.isWorker ? "worker" : "serve", version: platformVersion } as const;
  const sources = [proxy.samples, ...platformSamples(metrics, identity)];
  await lifecycle.use(new MetricSampler({ history: records.metrics, sources, process: processName, clock, logger }));
  await lifecycle.use(records.requestRecorder);
  await lifecycle.use(records.auditRecorder);
  await lifecycle.use(records.figureKeeper);
  measurePlatform(metrics, { database, broker, health: mainListener.health });
  const session = browserSession(services.authenticator);
  const pages = pagePaths({ apps, permissions, session });
  const handlers = {
    ui: ui.http,
    pages,
    proxy: proxy.http,
    graphql,
    rest,
    mcp,
    ...selfServiceOf(drivers, options),
    ...provisioningOf(drivers, options),
    ...(await startRegistry(lifecycle, drivers, services, options)),
    ...(options.grpc.tls?.clientCertificates !== "required" && { calls: grpc.calls }),
    browserSession: session,
    deviceLogins: new DeviceLogins({ cache: drivers.cache, clock }),
    agentSignIn: createAgentSignIn({
      access: agents,
      documents: outbound,
      sessions: session,
      choices: agentChoices(services),
      publicOrigin: mainListener.publicOrigin,
      cache: drivers.cache,
      logger: logger.child({ component: "oauth" }),
    }),
    tokenExchange: limitedExchange(
      createTokenExchange({ ...services, database, documents: outbound, clock, logger: logger.child({ component: "access" }) }),
      drivers.cache,
    ),
    sessionEnd: sessionEnd(services),
  };
  // Stops before the components above, so that none of them stops while requests are in progress.
  await lifecycle.use({ name: mainListener.name, stop: () => mainListener.stop() });
  await lifecycle.use(new OutboxRelay({ database, broker, history: records.events, clock, logger }));
  await lifecycle.use({ name: "outbound", stop: () => outbound.close() });
  await lifecycle.use(marketplace);
  await lifecycle.use(hooks);
  await lifecycle.use(activity);
  await lifecycle.use(services.sleep);
  await lifecycle.use(services.incidents);
  await lifecycle.use(retentionWork(database, options.retention, clock, logger));
  const access = { ...drivers, ...services, clock, logger };
  await lifecycle.use(createIdentityGroups(access, options.groupMap));
  if (options.firstAdministrator) await inviteFirstAdministrator(options.firstAdministrator, { database, ...services });
  mainListener.open(handlers, [...(options.checks ?? []), ...dependencyChecks(drivers)]);
  return { apps, grpc, grpcForApps, groups: createGroupMemberships(access), handlers, marketplace, proxy };
}

function selfServiceOf({ cache, identity }: Drivers, { selfService: upstream, budget }: ServerOptions) {
  if (!upstream) return {};
  const { sessionCookieName } = identity;
  return { selfService: selfServiceHandler({ upstream, cache, budget, sessionCookieName }) };
}

function provisioningOf({ cache }: Drivers, { provisioning: upstream, budget, logger }: ServerOptions) {
  return upstream ? { provisioning: provisioningHandler({ upstream, cache, budget, logger }) } : {};
}

/** Reports each change of an app to the services that keep something of it. The proxy is first, since callers wait for it. */
function reportAppChanges({ apps, identities, proxy, ui, hooks, activity, connections }: Services): void {
  identities.onChange((name) => {
    proxy.refreshApp(name);
    connections.recheck((connection) => concernsApp(connection, name));
  });
  apps.onChange(({ name }) => {
    proxy.refreshApp(name);
    ui.invalidate(name);
    hooks.appChanged(name);
    activity.appChanged(name);
    connections.recheck((connection) => concernsApp(connection, name));
  });
}

/** Returns whether the caller is the user, or any user. */
function isOf(caller: Caller, userId: string | undefined): boolean {
  return caller.kind === "user" && (userId === undefined || caller.id === userId);
}

/** Returns whether the caller is the service account, or any service account. */
function isMachine(caller: Caller, id: string | undefined): boolean {
  return caller.kind === "machine" && (id === undefined || caller.id === id);
}

/** Returns whether the connection is the app's own, or leads to it. */
function concernsApp({ caller, app }: LiveConnection, name: string): boolean {
  return app === name || (caller.kind === "app" && caller.name === name);
}
