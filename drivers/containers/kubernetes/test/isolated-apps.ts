import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { type ContainerSpec, containerLabels, type StorageMount } from "@appserver/kernel/ports";
import { pushNodeImage, type TestKubernetes } from "@appserver/testing/kit/kubernetes";
import type { Connection } from "../src/connection.ts";
import { KubernetesRuntime } from "../src/kubernetes-runtime.ts";
import { gateProgram } from "../src/network-gate.ts";

export const appPort = 3_000;

/** An installation whose pods pass the gate, with a namespace for its apps and one for the pods of its platform. */
export interface IsolatedApps {
  readonly instance: string;
  readonly namespace: string;
  readonly platform: string;
  /** Of the apps. */
  readonly image: string;
  readonly gateImage: string;
  /** With the rights of the orchestrator. */
  readonly connection: Connection;
  readonly runtime: KubernetesRuntime;
  specOf(
    app: string,
    more?: Partial<Pick<ContainerSpec, "environment" | "name" | "replicas">> & { storage?: readonly StorageMount[] },
  ): ContainerSpec;
  /** Creates a container in its own network, as the orchestrator does. */
  create(spec: ContainerSpec): Promise<void>;
  close(): Promise<void>;
}

/** `source`: the program of the apps. */
export async function isolatedApps(cluster: TestKubernetes, source: string): Promise<IsolatedApps> {
  const instance = randomBytes(4).toString("hex");
  const [namespace, platform] = [`apps-${instance}`, `platform-${instance}`];
  const image = `${cluster.registry}/${namespace}/com.example.app:latest`;
  const gateImage = `${cluster.registry}/${namespace}/platform:latest`;
  for (const name of [namespace, platform]) await cluster.makeNamespace(name);
  await pushNodeImage(image, source);
  const gate = readFileSync(resolve(import.meta.dirname, "../bin/network-gate.mjs"), "utf8");
  await pushNodeImage(gateImage, gate, gateProgram.slice(1));
  const connection = await cluster.orchestratorConnection(namespace);
  const [host = "", port = ""] = cluster.registry.split(":");
  const egress = [{ network: host, port: Number(port) }];
  const own = { namespace, connection, plainRegistries: [cluster.registry], pullSecrets: [], drainMs: 0 };
  const rules = { platformNamespace: platform, gateImage, egress, storageClass: namespace };
  const runtime = new KubernetesRuntime({ ...own, ...rules, clock: new SystemClock(), logger: silentLogger });
  const { instance: ofInstance, appId, appName, generation, attempt } = containerLabels;
  return {
    ...{ instance, namespace, platform, image, gateImage, connection, runtime },
    specOf: (app, more = {}) => ({
      name: `app-${namespace}.${app}`,
      image,
      labels: { [ofInstance]: instance, [appId]: app, [appName]: app, [generation]: "1", [attempt]: "1" },
      network: `${instance}-app-${app}`,
      port: appPort,
      endpoint: "network",
      memoryMb: 96,
      cpuShares: 128,
      pidsLimit: 64,
      readOnlyRoot: true,
      ...more,
      // What the gate waits for: the egress above allows it.
      environment: { APPSERVER_HTTP_URL: `http://${cluster.registry}`, ...more.environment },
    }),
    create: async (spec) => {
      await runtime.networks.ensure({ name: spec.network, labels: spec.labels, pool: "" });
      await runtime.create(spec);
    },
    close: async () => {
      await runtime.close();
      for (const name of [namespace, platform]) await cluster.removeNamespace(name);
    },
  };
}
