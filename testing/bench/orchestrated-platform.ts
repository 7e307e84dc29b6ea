import { EngineClient } from "@appserver/containers-docker";
import {
  openContainerNetwork,
  ProductionOrchestrator,
  type ProductionServer,
  ReplicaGroup,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { ensureDockerEngine } from "../../tools/services/docker-engine.ts";
import { ensureRegistry } from "../../tools/services/registry.ts";

/** A server and an orchestrator, which gives each app a container, a network and a database. */
export interface OrchestratedPlatform extends AsyncDisposable {
  readonly group: ReplicaGroup;
  readonly server: ProductionServer;
  readonly orchestrator: ProductionOrchestrator;
  readonly engine: EngineClient;
  /** The host from which the orchestrator pulls images. */
  readonly registry: string;
  /** Of the apps' databases, with the credentials of a superuser, as containers reach it. */
  readonly databaseUrl: string;
  /** Label of its containers. */
  readonly instance: string;
}

/** `environment` is the orchestrator's. */
export async function startOrchestratedPlatform(
  environment: Readonly<Record<string, string>> = {},
): Promise<OrchestratedPlatform> {
  await using ends = new AsyncDisposableStack();
  const [docker, registry] = [available(await ensureDockerEngine()), available(await ensureRegistry())];
  ends.defer(registry.stop);
  ends.defer(docker.stop);
  const services = available(await startProductionServices());
  ends.defer(services.stop);
  const { socketPath } = docker;
  const network = await openContainerNetwork(socketPath, services);
  ends.defer(network.remove);
  const engine = new EngineClient(socketPath);
  ends.defer(() => engine.close());
  const group = await ReplicaGroup.start(services, 1);
  ends.defer(() => group.stop());
  const server = group.server(0);
  const { databaseUrl } = network;
  const orchestrator = new ProductionOrchestrator(services.environment, {
    socketPath,
    network: network.name,
    registry: registry.host,
    httpUrl: server.httpUrl,
    grpcUrl: server.grpcUrl,
    environment: { APPSERVER_CONTAINERS_DATABASE_ADMIN_URL: databaseUrl, ...environment },
  });
  ends.defer(async () => void (await orchestrator.stop()));
  orchestrator.start();
  await orchestrator.ready();
  const kept = ends.move();
  const { instance } = services;
  return {
    ...{ group, server, orchestrator, engine, databaseUrl, instance },
    registry: registry.host,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function available<T extends object>(found: T): Exclude<T, { readonly unavailable: string }> {
  if ("unavailable" in found) throw new Error(String(found.unavailable));
  return found as Exclude<T, { readonly unavailable: string }>;
}
