import { EngineClient } from "@appserver/containers-docker";
import { makeAppImage, pushImage } from "@appserver/containers-docker/images";
import type { Haystacks } from "@appserver/testing/kit";
import { TestDockerEngine } from "@appserver/testing/kit/docker";
import { openContainerNetwork, ProductionOrchestrator, quietPort } from "@appserver/testing/kit/production";
import { ensureDockerEngine } from "../../../tools/services/docker-engine.ts";
import { ensureRegistry } from "../../../tools/services/registry.ts";
import type { WatchedPlatform } from "./watched-platform.ts";

/** `appserver orchestrate` for a {@link WatchedPlatform}, with everything that it writes. Its server is reachable for containers. */
export class WatchedOrchestrator {
  readonly engine: TestDockerEngine;
  readonly #registry: string;
  readonly #process: ProductionOrchestrator;
  readonly #metricsUrl: string;
  readonly #ends: (() => Promise<unknown>)[];

  private constructor(
    engine: TestDockerEngine,
    registry: string,
    process: ProductionOrchestrator,
    metricsUrl: string,
    ends: (() => Promise<unknown>)[],
  ) {
    this.engine = engine;
    this.#registry = registry;
    this.#process = process;
    this.#metricsUrl = metricsUrl;
    this.#ends = ends;
  }

  /** Starts server and orchestrator. Or returns the reason if there is no engine. */
  static async start(platform: WatchedPlatform): Promise<WatchedOrchestrator | { readonly unavailable: string }> {
    const ends: (() => Promise<unknown>)[] = [];
    try {
      const started = await start(platform, ends, (...parts) => new WatchedOrchestrator(...parts, ends));
      if ("unavailable" in started) await endAll(ends);
      return started;
    } catch (error) {
      await endAll(ends);
      throw error;
    }
  }

  /** Makes the code of a folder the image of an app. */
  async publish(appName: string, folder: string): Promise<void> {
    const client = new EngineClient(this.engine.socketPath);
    try {
      const image = `${this.#registry}/${appName}:latest`;
      await makeAppImage({ socketPath: this.engine.socketPath, appFolder: folder, entry: "src/server.ts", image });
      await pushImage(client, image);
    } finally {
      await client.close();
    }
  }

  /** Everything written so far, and every container of the platform: what `docker inspect` shows, and the files of its identity. */
  async places(instance: string): Promise<Haystacks> {
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
    await endAll(this.#ends);
  }
}

type Parts = [TestDockerEngine, string, ProductionOrchestrator, string];

async function start(
  platform: WatchedPlatform,
  ends: (() => Promise<unknown>)[],
  make: (...parts: Parts) => WatchedOrchestrator,
): Promise<WatchedOrchestrator | { readonly unavailable: string }> {
  const found = await ensureDockerEngine();
  if ("unavailable" in found) return found;
  ends.push(found.stop);
  const registry = await ensureRegistry();
  if ("unavailable" in registry) return registry;
  ends.push(registry.stop);
  const network = await openContainerNetwork(found.socketPath, platform.services);
  ends.push(network.remove);
  await platform.serve({
    APPSERVER_BIND_ADDRESS: network.gateway,
    APPSERVER_METRICS_ALLOW: "0.0.0.0/0",
    APPSERVER_UPSTREAM_ALLOW: "10.213.0.0/16",
  });
  const { httpUrl, grpcUrl } = platform.server;
  const metricsPort = await quietPort();
  const orchestrator = new ProductionOrchestrator(platform.services.environment, {
    socketPath: found.socketPath,
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
  ends.push(() => orchestrator.stop());
  orchestrator.start();
  await orchestrator.ready();
  const engine = new TestDockerEngine(found.socketPath, async () => {});
  ends.push(() => engine.stop());
  return make(engine, registry.host, orchestrator, `http://127.0.0.1:${metricsPort}/metrics`);
}

async function endAll(ends: (() => Promise<unknown>)[]): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
