import type { Endpoint } from "@appserver/kernel/ports";
import type { ServeConfig } from "../config/serve-config.ts";
import { type IdentityConfig, identityDrivers } from "./identity-drivers.ts";

const defaultPorts: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "redis:": 6379,
  "rediss:": 6379,
  "amqp:": 5672,
  "amqps:": 5671,
};

/**
 * Other default ports of these servers, in addition to the configured one, that give access to the same data: gRPC
 * of OpenFGA, management of RabbitMQ, gRPC of a collector.
 */
const siblingPorts = {
  openfga: [8081],
  rabbitmq: [5671, 5672, 15671, 15672],
  collector: [4317, 4318],
} as const;

type CacheConfig = ServeConfig["cache"];

/** The servers of each value of `cache.driver`. */
const cacheUrls: Readonly<Record<CacheConfig["driver"], (cache: CacheConfig) => readonly string[]>> = {
  memory: () => [],
  redis: ({ redisUrl }) => [redisUrl],
};

type EndpointConfig = Pick<ServeConfig, "database" | "cache" | "rabbitmq" | "authServices" | "telemetry" | "upstream"> &
  IdentityConfig;

/**
 * Returns the addresses of the dependencies of `appserver serve`. An app's backend may not have one of them, whatever is
 * allowed.
 */
export function protectedEndpoints(config: EndpointConfig): readonly Endpoint[] {
  const { database, cache, rabbitmq, authServices, telemetry, upstream } = config;
  return [
    // A host that starts with `/` is the folder of a socket.
    ...(database.host.startsWith("/") ? [] : [{ host: database.host, port: database.port }]),
    ...endpointsOf(cacheUrls[cache.driver](cache)),
    ...endpointsOf([rabbitmq.url], siblingPorts.rabbitmq),
    ...identityEndpoints(config),
    ...endpointsOf([authServices.openfgaApiUrl], siblingPorts.openfga),
    ...endpointsOf([telemetry.otlpEndpoint], siblingPorts.collector),
    ...upstream.deny.flatMap((entry) => ("host" in entry ? [entry] : [])),
  ];
}

/** Returns the addresses of the identity provider. */
export function identityEndpoints(config: IdentityConfig): readonly Endpoint[] {
  const { urls, otherPorts } = identityDrivers[config.identity.driver].servers(config);
  return endpointsOf(urls, otherPorts);
}

function endpointsOf(urls: readonly (string | undefined)[], siblings: readonly number[] = []): readonly Endpoint[] {
  return urls.flatMap((text) => {
    if (text === undefined) return [];
    const { hostname, port, protocol } = new URL(text);
    const host = hostname === "" ? "localhost" : hostname;
    const ports = new Set([Number(port) || defaultPorts[protocol] || 0, ...siblings]);
    return [...ports].map((each) => ({ host, port: each }));
  });
}
