import { type AccessMode, schemaViewers } from "@appserver/access";
import { readSchema } from "@appserver/contracts/graphql";
import { ActivityService } from "@appserver/contracts/proto/appserver/v2/activity";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import { createGraphqlListener } from "@appserver/transports/graphql";
import { createGrpcListener, type GrpcListener, type GrpcListenerOptions, grpcService } from "@appserver/transports/grpc";
import type { RawHandler } from "@appserver/transports/http";
import { createRestListener } from "@appserver/transports/rest";
import { auditResolvers } from "../wiring/audit-resolvers.ts";
import { graphqlAuthenticate, graphqlStanding } from "../wiring/caller-access.ts";
import { grpcAuthenticate, grpcStanding } from "../wiring/grpc-access.ts";
import type { Drivers, ServerOptions, Services } from "./services.ts";

/** The listeners of GraphQL, REST and gRPC. */
export interface Listeners {
  readonly graphql: RawHandler;
  readonly rest: RawHandler;
  readonly grpc: GrpcListener;
  /** Options of the separate gRPC listener for apps, which requires credentials. */
  readonly grpcForApps: Pick<
    GrpcListenerOptions,
    "services" | "authenticate" | "standing" | "connections" | "budget" | "reflection" | "limits" | "shutdownTimeoutMs"
  >;
}

export async function createListeners(services: Services, drivers: Drivers, options: ServerOptions): Promise<Listeners> {
  const { marketplace, settings, hooks, activity, logs, authenticator, connections, budget } = services;
  const { clock, logger } = options;
  const { metrics, tracer } = drivers;
  const { health, origins } = options.frontDoor;
  const graphql = createGraphqlListener({
    schemaSdl: readSchema(),
    resolvers: [
      marketplace.resolvers,
      settings.resolvers,
      hooks.resolvers,
      activity.resolvers,
      logs.resolvers,
      auditResolvers(services.audit, services.authorization),
    ],
    authenticate: graphqlAuthenticate(authenticator, options.access),
    standing: graphqlStanding(authenticator),
    connections,
    health,
    origins,
    metrics,
    clock,
    logger,
    budget,
    introspection: options.introspection || schemaViewers(services.permissions),
    maxBodyBytes: options.graphqlMaxBodyBytes,
  });
  const rest = await createRestListener({
    routes: [...marketplace.http, ...settings.http],
    authenticate: graphqlAuthenticate(authenticator, options.access),
    budget,
    logger,
  });
  const servicesForApps = [
    grpcService(SettingsService, settings.grpc),
    grpcService(HooksService, hooks.grpc),
    grpcService(ActivityService, activity.grpc),
  ];
  const authenticate = (mode: AccessMode) => grpcAuthenticate({ authenticator, mode, policy: options.policy });
  const callers = { standing: grpcStanding(authenticator), connections, budget };
  const grpc = createGrpcListener({
    ...options.grpc,
    ...callers,
    services: [grpcService(MarketplaceService, { ...marketplace.grpc, ...logs.grpc }), ...servicesForApps],
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
  return { graphql, rest, grpc, grpcForApps: forApps };
}
