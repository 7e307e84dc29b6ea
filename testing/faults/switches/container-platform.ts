import assert from "node:assert/strict";
import type { PlatformClient, SignedManifest } from "@appserver/sdk";
import type { GraphqlAnswer } from "@appserver/testing/kit";
import { dockerEngineForTests, type TestDockerEngine } from "@appserver/testing/kit/docker";
import {
  openContainerNetwork,
  ProductionOrchestrator,
  type ProductionServices,
  ReplicaGroup,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { ensureRegistry, type Registry } from "../../../tools/services/registry.ts";
import { notes } from "./releases.ts";
import type { SwitchPlatform } from "./switch-platform.ts";

/** The programs that a {@link ContainerPlatform} needs. */
export interface ContainerServices {
  readonly engine: TestDockerEngine;
  readonly registry: Registry;
  readonly production: ProductionServices;
}

/**
 * Starts the programs, or returns which one is unavailable, and why. `folders`: of an engine and a registry that only one test
 * file uses, because it stops them. Default: those that all share.
 */
export async function startContainerServices(
  folders: { readonly engine?: string; readonly registry?: string } = {},
): Promise<ContainerServices | { readonly unavailable: string }> {
  await using ends = new AsyncDisposableStack();
  const engine = await dockerEngineForTests({ folder: folders.engine });
  if ("unavailable" in engine) return engine;
  ends.defer(() => engine.stop());
  const registry = await ensureRegistry({ folder: folders.registry });
  if ("unavailable" in registry) return registry;
  ends.defer(() => registry.stop());
  const production = await startProductionServices();
  if ("unavailable" in production) return production;
  ends.move();
  return { engine, registry, production };
}

export interface ContainerPlatformOptions {
  readonly servers: number;
  readonly orchestrators: number;
  /** Further variables of each server, and of each orchestrator. */
  readonly ofServers?: Readonly<Record<string, string>>;
  readonly ofOrchestrators: Readonly<Record<string, string>>;
}

/** `appserver serve` and `appserver orchestrate` with the Docker driver, on production drivers. */
export class ContainerPlatform implements SwitchPlatform {
  readonly group: ReplicaGroup;
  readonly #services: ContainerServices;
  readonly #orchestrators: readonly ProductionOrchestrator[];
  readonly #ends: AsyncDisposableStack;

  private constructor(
    services: ContainerServices,
    group: ReplicaGroup,
    orchestrators: readonly ProductionOrchestrator[],
    ends: AsyncDisposableStack,
  ) {
    this.#services = services;
    this.group = group;
    this.#orchestrators = orchestrators;
    this.#ends = ends;
  }

  /** Stops the services with itself, also if it does not start. */
  static async start(services: ContainerServices, options: ContainerPlatformOptions): Promise<ContainerPlatform> {
    const { engine, registry, production } = services;
    await using ends = new AsyncDisposableStack();
    for (const service of [engine, registry, production]) ends.defer(() => service.stop());
    const { socketPath } = engine;
    const network = await openContainerNetwork(socketPath, production);
    ends.defer(network.remove);
    const environment = {
      ...production.environment,
      // Reachable for containers, but not from outside this machine.
      APPSERVER_BIND_ADDRESS: network.gateway,
      // Without a line for each request of the load.
      APPSERVER_LOG_LEVEL: "warn",
      ...options.ofServers,
    };
    const group = await ReplicaGroup.start({ ...production, environment }, options.servers);
    ends.defer(() => group.stop());
    const { httpUrl, grpcUrl } = group.server(0);
    const orchestrators: ProductionOrchestrator[] = [];
    for (let n = 0; n < options.orchestrators; n++) {
      const orchestrator = new ProductionOrchestrator(production.environment, {
        ...{ socketPath, network: network.name, registry: registry.host, httpUrl, grpcUrl },
        environment: { ...options.ofOrchestrators, APPSERVER_CONTAINERS_DATABASE_ADMIN_URL: network.databaseUrl },
      });
      orchestrators.push(orchestrator);
      orchestrator.start();
      ends.defer(async () => void (await orchestrator.stop()));
      await orchestrator.ready();
    }
    return new ContainerPlatform(services, group, orchestrators, ends.move());
  }

  get httpUrls(): readonly string[] {
    return this.group.servers.map(({ httpUrl }) => httpUrl);
  }

  orchestrator(number: number): ProductionOrchestrator {
    return this.#orchestrators[number] ?? assert.fail(`there is no orchestrator ${number}`);
  }

  graphql(query: string, variables: object = {}): Promise<GraphqlAnswer> {
    return this.group.graphql(this.group.server(0), query, variables);
  }

  client(): PlatformClient {
    return this.group.client(this.group.server(0));
  }

  register(app: SignedManifest): Promise<unknown> {
    return this.group.register(this.group.server(0), app);
  }

  async publish(appName: string, folder: string): Promise<void> {
    const { engine, registry } = this.#services;
    await engine.publish(`${registry.host}/${appName}:latest`, folder, [appName === notes ? "app.yaml" : "release.json"]);
  }

  async running(appName: string): Promise<readonly string[]> {
    return (await this.containers()).filter((container) => container.appName === appName).map(({ id }) => id);
  }

  /** Returns every running container of this platform, with the app that it runs. */
  async containers(): Promise<readonly { readonly id: string; readonly appName: string }[]> {
    const { engine, production } = this.#services;
    const names = await engine.containers(`appserver.instance=${production.instance}`, false);
    const found = await Promise.all(names.map((name) => engine.inspect(name)));
    return found.flatMap((container) => {
      if (!container) return [];
      const name = container.Config.Env.find((variable) => variable.startsWith("APP_NAME="));
      return { id: container.Id, appName: name?.slice("APP_NAME=".length) ?? "" };
    });
  }

  async stop(): Promise<void> {
    await this.#ends.disposeAsync();
  }
}
