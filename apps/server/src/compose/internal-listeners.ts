import type { Lifecycle } from "@appserver/kernel";
import { createGrpcListener } from "@appserver/transports/grpc";
import { createHttpListener } from "@appserver/transports/http";
import type { ServeConfig } from "../config/serve-config.ts";
import type { MainListener } from "./main-listener.ts";
import { limitsOf } from "./options.ts";
import type { ServeParts } from "./production.ts";
import type { Server } from "./server.ts";

/** Addresses without TLS that apps and the container engine use. */
export interface InternalAddresses {
  /** For the engine, and for apps that are processes of this machine. */
  readonly host: string;
  /** Of this machine in the network of containers. Undefined if they reach `host`. */
  readonly network: string | undefined;
  /** Of HTTP. */
  readonly port: number;
  /** Names in requests, in addition to the addresses. */
  readonly names: readonly string[];
}

interface Listening {
  readonly addresses: InternalAddresses;
  readonly config: ServeConfig;
  readonly server: Server;
  readonly mainListener: MainListener;
  readonly parts: Pick<ServeParts, "clock" | "logger">;
}

/**
 * Opens the internal ports. They serve the interfaces for programs, with the authentication of the public port; gRPC of
 * `addresses.host` is that of the server. Apps reach no registry.
 */
export async function listenInternally(
  lifecycle: Lifecycle,
  { addresses, config, server, mainListener, parts }: Listening,
): Promise<void> {
  const { host, network, port, names } = addresses;
  const { proxy, graphql, rest, calls, registry } = server.handlers;
  const { health, origins, metrics, tracer } = mainListener;
  const { http2Enabled: http2, plainPath, shutdownTimeoutMs, grpcPort } = config.server;
  const common = { ...parts, origins, health, metrics, tracer };
  const rules = { http2, plainPath, limits: limitsOf(config.server), shutdownTimeoutMs, drainDelayMs: 0, trustedProxies: [] };
  const forApps = { proxy, graphql, rest, ...(calls && { calls }) };
  await lifecycle.use(
    createHttpListener({
      ...common,
      ...rules,
      host,
      port,
      allowedHosts: [host, ...names],
      hasRegistry: registry !== undefined,
      services: { ...forApps, ...(registry && { registry }) },
    }),
  );
  if (network === undefined) return;
  const ofNetwork = { ...common, host: network, allowedHosts: [network] };
  await lifecycle.use(createHttpListener({ ...ofNetwork, ...rules, port, services: forApps }));
  await lifecycle.use(createGrpcListener({ ...ofNetwork, ...server.grpcForApps, port: grpcPort }));
}
