import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { TcpRelay } from "@appserver/containers-docker";
import { bundleApp } from "@appserver/containers-docker/images";
import type { PlatformClient, SignedManifest } from "@appserver/sdk";
import type { GraphqlAnswer } from "@appserver/testing/kit";
import { kubernetesForTests, pushNodeImage, type TestKubernetes } from "@appserver/testing/kit/kubernetes";
import {
  ProductionOrchestrator,
  type ProductionServices,
  ReplicaGroup,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { ensurePostgres } from "../../tools/services/postgres.ts";
import { servicesFolder } from "../../tools/services/shared-service.ts";
import type { SwitchPlatform } from "../faults/switches/switch-platform.ts";

/** The address of this machine for pods. */
const hostAddress = "10.199.0.1";

/** What a {@link ClusterPlatform} needs. */
export interface ClusterServices {
  readonly cluster: TestKubernetes;
  readonly production: ProductionServices;
}

/** Starts the programs, or returns which one is unavailable, and why. */
export async function startClusterServices(): Promise<ClusterServices | { readonly unavailable: string }> {
  const cluster = await kubernetesForTests();
  if ("unavailable" in cluster) return cluster;
  const production = await startProductionServices();
  if (!("unavailable" in production)) return { cluster, production };
  await cluster.stop();
  return production;
}

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
}

/** `appserver serve` and `appserver orchestrate` on this machine, with the apps in a namespace of a cluster. */
export class ClusterPlatform implements SwitchPlatform {
  readonly group: ReplicaGroup;
  readonly namespace: string;
  readonly cluster: TestKubernetes;
  readonly #orchestrators: readonly ProductionOrchestrator[];
  readonly #ends: AsyncDisposableStack;

  private constructor(
    parts: Pick<ClusterPlatform, "group" | "namespace" | "cluster">,
    orchestrators: readonly ProductionOrchestrator[],
    ends: AsyncDisposableStack,
  ) {
    this.group = parts.group;
    this.namespace = parts.namespace;
    this.cluster = parts.cluster;
    this.#orchestrators = orchestrators;
    this.#ends = ends;
  }

  /** Stops the services with itself, also if it does not start. */
  static async start(
    { cluster, production }: ClusterServices,
    { servers, orchestrators: count }: { readonly servers: number; readonly orchestrators: number },
  ): Promise<ClusterPlatform> {
    await using ends = new AsyncDisposableStack();
    ends.defer(() => cluster.stop());
    ends.defer(() => production.stop());
    const namespace = `apps-${randomBytes(4).toString("hex")}`;
    await cluster.makeNamespace(namespace);
    ends.defer(() => cluster.removeNamespace(namespace));
    const databaseUrl = await openAppsDatabase(ends);
    const driver = {
      APPSERVER_CONTAINERS_DRIVER: "kubernetes",
      APPSERVER_KUBERNETES_NAMESPACE: namespace,
      APPSERVER_KUBERNETES_KUBECONFIG: cluster.kubeconfig,
      APPSERVER_KUBERNETES_PLAIN_REGISTRIES: cluster.registry,
      APPSERVER_KUBERNETES_GATEWAYS: "10.199.0.0/24",
    };
    const environment = {
      ...production.environment,
      ...driver,
      APPSERVER_BIND_ADDRESS: hostAddress,
      // Without a line for each request of the load.
      APPSERVER_LOG_LEVEL: "warn",
    };
    const group = await ReplicaGroup.start({ ...production, environment }, servers);
    ends.defer(() => group.stop());
    const { httpUrl, grpcUrl } = group.server(0);
    const reached = [databaseUrl, httpUrl, grpcUrl].map((url) => `${hostAddress}:${new URL(url).port}`);
    const ofOrchestrators = {
      ...driver,
      APPSERVER_KUBERNETES_EGRESS: reached.join(","),
      APPSERVER_CONTAINERS_DATABASE_ADMIN_URL: databaseUrl,
      APPSERVER_APPS_SETTLE_TIME: "1s",
    };
    const orchestrators: ProductionOrchestrator[] = [];
    for (let n = 0; n < count; n += 1) {
      const orchestrator = new ProductionOrchestrator(production.environment, {
        ...{ socketPath: "/nonexistent", network: namespace, registry: cluster.registry, httpUrl, grpcUrl },
        environment: ofOrchestrators,
      });
      orchestrators.push(orchestrator);
      orchestrator.start();
      ends.defer(async () => void (await orchestrator.stop()));
      await orchestrator.ready();
    }
    return new ClusterPlatform({ group, namespace, cluster }, orchestrators, ends.move());
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
    const code = await bundleApp(folder, "src/server.ts");
    await pushNodeImage(`${this.cluster.registry}/${appName}:latest`, code);
  }

  async running(): Promise<readonly string[]> {
    return (await this.pods()).map(({ name }) => name);
  }

  /** Returns the pods that no one has deleted, with their machines. */
  async pods(): Promise<readonly { readonly name: string; readonly node: string | undefined }[]> {
    const path = `/api/v1/namespaces/${this.namespace}/pods`;
    const { items } = await this.cluster.client.call<{ readonly items: readonly Pod[] }>("GET", path);
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, spec }) => ({ name: metadata.name, node: spec.nodeName }));
  }

  async stop(): Promise<void> {
    await this.#ends.disposeAsync();
  }
}

/** Returns the URL of a server of the apps' databases at an address that pods reach. */
async function openAppsDatabase(ends: AsyncDisposableStack): Promise<string> {
  const server = await ensurePostgres({ folder: join(servicesFolder, "postgres-apps") });
  if ("unavailable" in server) throw new Error(server.unavailable);
  ends.defer(() => server.stop());
  const { host, port, user, password } = server;
  const relay = new TcpRelay({ host: hostAddress, port }, { host, port });
  await relay.start();
  ends.defer(() => relay.stop());
  return `postgres://${user}:${encodeURIComponent(password)}@${hostAddress}:${port}`;
}
