import type { SearchedTexts } from "@appserver/testing/kit";
import { dockerEngineForTests, type TestDockerEngine } from "@appserver/testing/kit/docker";
import { openContainerNetwork, ProductionOrchestrator, quietPort } from "@appserver/testing/kit/production";
import { ensureRegistry } from "../../../tools/services/registry.ts";
import type { WatchedPlatform } from "./watched-platform.ts";

/** `appserver orchestrate` for a {@link WatchedPlatform}, with everything that it writes. Its server is reachable for containers. */
export class WatchedOrchestrator {
  readonly engine: TestDockerEngine;
  readonly #registry: string;
  readonly #process: ProductionOrchestrator;
  readonly #metricsUrl: string;
  readonly #ends: AsyncDisposableStack;

  private constructor(
    engine: TestDockerEngine,
    registry: string,
    process: ProductionOrchestrator,
    metricsUrl: string,
    ends: AsyncDisposableStack,
  ) {
    this.engine = engine;
    this.#registry = registry;
    this.#process = process;
    this.#metricsUrl = metricsUrl;
    this.#ends = ends;
  }

  /** Starts server and orchestrator. Or returns the reason if there is no engine. */
  static async start(platform: WatchedPlatform): Promise<WatchedOrchestrator | { readonly unavailable: string }> {
    await using ends = new AsyncDisposableStack();
    const engine = await dockerEngineForTests();
    if ("unavailable" in engine) return engine;
    ends.defer(() => engine.stop());
    const registry = await ensureRegistry();
    if ("unavailable" in registry) return registry;
    ends.defer(registry.stop);
    const network = await openContainerNetwork(engine.socketPath, platform.services);
    ends.defer(network.remove);
    await platform.serve({
      APPSERVER_BIND_ADDRESS: network.gateway,
      APPSERVER_METRICS_ALLOW: "0.0.0.0/0",
      APPSERVER_UPSTREAM_ALLOW: "10.213.0.0/16",
    });
    const { httpUrl, grpcUrl } = platform.server;
    const metricsPort = await quietPort();
    const orchestrator = new ProductionOrchestrator(platform.services.environment, {
      socketPath: engine.socketPath,
      network: network.name,
      registry: registry.host,
      httpUrl,
      grpcUrl,
      environment: {
        ...platform.telemetry,
        APPSERVER_CONTAINERS_DATABASE_ADMIN_URL: network.databaseUrl,
        APPSERVER_ORCHESTRATOR_METRICS_PORT: String(metricsPort),
      },
    });
    ends.defer(async () => void (await orchestrator.stop()));
    orchestrator.start();
    await orchestrator.ready();
    const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    return new WatchedOrchestrator(engine, registry.host, orchestrator, metricsUrl, ends.move());
  }

  /** Makes the code of a folder the image of an app. */
  async publish(appName: string, folder: string): Promise<void> {
    await this.engine.publish(`${this.#registry}/${appName}:latest`, folder);
  }

  /** Everything written so far, and every container of the platform: what `docker inspect` shows, and the files of its identity. */
  async places(instance: string): Promise<SearchedTexts> {
    const containers = await this.engine.containers(`appserver.instance=${instance}`, true);
    const parts = await Promise.all(
      containers.map(async (name) => [
        [`container ${name} inspect`, JSON.stringify((await this.engine.inspect(name)) ?? null)] as const,
        // A container may be gone by now.
        [`container ${name} files`, await this.engine.archive(name, "/run/appserver/.").catch(() => "")] as const,
      ]),
    );
    return {
      ...Object.fromEntries(parts.flat()),
      "orchestrator-log": this.#process.log,
      "orchestrator-metrics": await (await fetch(this.#metricsUrl)).text(),
    };
  }

  async stop(): Promise<void> {
    await this.#ends.disposeAsync();
  }
}
