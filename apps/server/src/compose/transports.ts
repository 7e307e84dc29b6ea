import { type AccessMode, type AgentAccess, accessResolvers, createAccessGrpc, schemaViewers } from "@appserver/access";
import { readSchema } from "@appserver/contracts/graphql";
import { AccessService } from "@appserver/contracts/proto/appserver/v2/access";
import { ActivityService } from "@appserver/contracts/proto/appserver/v2/activity";
import { DevelopmentService } from "@appserver/contracts/proto/appserver/v2/development";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import { isUuid } from "@appserver/kernel";
import { bindToApps, createExecutableSchema, createGraphqlListener, healthResolvers } from "@appserver/transports/graphql";
import { createGrpcListener, type GrpcListener, type GrpcListenerOptions, grpcService } from "@appserver/transports/grpc";
import type { GraphqlHandler, RawHandler } from "@appserver/transports/http";
import { createMcpListener, type McpListener } from "@appserver/transports/mcp";
import { createRestListener, schemaRoutes } from "@appserver/transports/rest";
import { appPages } from "../wiring/app-pages.ts";
import { appTools } from "../wiring/app-tools.ts";
import { graphqlAuthenticate, graphqlReauthentication } from "../wiring/caller-access.ts";
import { grpcAuthenticate, grpcReauthentication } from "../wiring/grpc-access.ts";
import { platformResolvers } from "../wiring/platform-resolvers.ts";
import { requestableApps } from "../wiring/requestable-apps.ts";
import { traceResolvers } from "../wiring/trace-resolvers.ts";
import { traceReader } from "../wiring/traces.ts";
import type { Drivers, ServerOptions } from "./server-options.ts";
import type { Services } from "./services.ts";

/** The listeners of GraphQL, REST and gRPC. */
export interface Listeners {
  readonly graphql: GraphqlHandler;
  readonly rest: RawHandler;
  readonly mcp: McpListener;
  readonly grpc: GrpcListener;
  /** Options of the separate gRPC listener for apps, which requires credentials. */
  readonly grpcForApps: Pick<
    GrpcListenerOptions,
    "services" | "authenticate" | "reauthentication" | "connections" | "budget" | "reflection" | "limits" | "shutdownTimeoutMs"
  >;
}

export async function createListeners(
  services: Services,
  drivers: Drivers,
  options: ServerOptions,
  agents: AgentAccess,
): Promise<Listeners> {
  const { marketplace, settings, hooks, activity, logs, proxy, authenticator, connections, budget } = services;
  const { clock, logger } = options;
  const { metrics, tracer } = drivers;
  const { health, origins } = options.mainListener;
  const schema = createExecutableSchema(readSchema(), [
    healthResolvers(health),
    marketplace.resolvers,
    settings.resolvers,
    hooks.resolvers,
    hooks.targetResolvers,
    services.incidents.resolvers,
    services.backups.resolvers(services.permissions),
    activity.resolvers,
    logs.resolvers,
    ...services.records.resolvers,
    traceResolvers(traceReader(services), services),
    platformResolvers({ permissions: services.permissions, version: health.version, options: options.optionReport }),
    ...accessResolvers({
      ...services,
      people: options.firstAdministrator?.accounts,
      database: drivers.database,
      identity: drivers.identity,
      publicOrigin: options.mainListener.publicOrigin,
      apps: requestableApps(services),
      outbox: drivers.outbox,
      source: `/appserver/${options.instance}`,
      logger,
      clock,
    }),
  ]);
  const nameOf = async (appId: string) => (isUuid(appId) ? (await services.apps.currentById(appId))?.app.name : undefined);
  bindToApps(schema, nameOf);
  const people = {
    authenticate: graphqlAuthenticate(authenticator, options.access),
    reauthentication: graphqlReauthentication(authenticator),
    connections,
    budget,
    logger,
  };
  const requests = services.records.requestRecorder;
  const graphql = createGraphqlListener({
    schema,
    ...people,
    origins,
    metrics,
    clock,
    introspection: options.introspection || schemaViewers(services.permissions),
    maxBodyBytes: options.graphqlMaxBodyBytes,
    requests,
  });
  const routes = schemaRoutes({
    schema,
    others: [...marketplace.http, ...settings.http],
    nameOf,
    idOf: async (name) => (isUuid(name) ? undefined : (await services.apps.current(name))?.app.id),
    version: health.version,
    cookieName: drivers.identity.sessionCookieName,
  });
  const rest = await createRestListener({ ...people, routes, idempotencyKeys: services.idempotencyKeys, clock, requests });
  const mcp = createMcpListener({
    ...people,
    routes,
    nameOf,
    apps: appTools({ ...services, macKey: options.macKey }),
    permissions: services.permissions,
    agents,
    publicOrigin: options.mainListener.publicOrigin,
    origins,
    docs: options.docs,
    version: health.version,
    clock,
    requests,
    audit: services.records.auditRecorder,
    appNameOf: (nameOrId) => (services.apps.get(nameOrId) ?? services.apps.byId(nameOrId))?.app.name,
  });
  const servicesForApps = [
    grpcService(SettingsService, settings.grpc),
    grpcService(HooksService, hooks.grpc),
    grpcService(ActivityService, activity.grpc),
    grpcService(
      AccessService,
      createAccessGrpc({ ...drivers, permissions: services.permissions, clock, pages: appPages(marketplace) }),
    ),
  ];
  const authenticate = (mode: AccessMode) => grpcAuthenticate({ authenticator, mode, policy: options.policy });
  const callers = { reauthentication: grpcReauthentication(authenticator), connections, budget };
  const grpc = createGrpcListener({
    ...options.grpc,
    ...callers,
    services: [
      grpcService(MarketplaceService, marketplace.grpc),
      grpcService(DevelopmentService, proxy.grpc),
      ...servicesForApps,
    ],
    authenticate: authenticate(options.access),
    origins,
    metrics,
    tracer,
    logger,
    clock,
    health,
  });
  const { limits, shutdownTimeoutMs } = options.grpc;
  const common = { ...callers, reflection: false, limits, shutdownTimeoutMs };
  const forApps = { ...common, services: servicesForApps, authenticate: authenticate("required") };
  return { graphql, rest, mcp, grpc, grpcForApps: forApps };
}
