import { join } from "node:path";
import type { DockerRuntime } from "@appserver/containers-docker";
import { type ContainerRuntime, containerLabels } from "@appserver/kernel/ports";
import type { OrchestrationSettings } from "@appserver/orchestration";
import type { DevConfig } from "./config/dev-config.ts";
import { devRegistry, type ExampleApp, exampleApps } from "./dev/example-apps.ts";

/** The chosen container runtime. Drivers are loaded when they are chosen. */
export async function openContainers(config: DevConfig): Promise<ContainerRuntime> {
  if (config.containers === "docker") {
    const { DockerRuntime } = await import("@appserver/containers-docker");
    return new DockerRuntime({ socketPath: config.dockerSocketPath, pullPolicy: "if-not-present" });
  }
  const { ProcessRuntime } = await import("@appserver/containers-process");
  return new ProcessRuntime({
    stateFolder: join(config.dataDir, "processes"),
    stopOnClose: true,
    images: (image) => {
      const app = exampleApps.find(({ name }) => image === `${devRegistry}/${name}:latest`);
      return app && { command: commandOf(app, config), cwd: app.folder };
    },
  });
}

/** In a container an app may write to /tmp; a process gets a folder that survives. */
function commandOf(app: ExampleApp, config: DevConfig): readonly string[] {
  return ["/usr/bin/env", `DATA_DIR=${join(config.dataDir, "apps", app.name)}`, process.execPath, "src/server.ts"];
}

/** Where containers reach this machine; undefined where they share its loopback. */
export async function appNetworkAddress(runtime: ContainerRuntime, network: string): Promise<string | undefined> {
  await runtime.ensureNetwork(network);
  return "networkGateway" in runtime ? (runtime as DockerRuntime).networkGateway(network) : undefined;
}

/** Ctrl-C stops everything: an engine's containers would outlive this process. The next start finds and starts them. */
export async function closeContainers(runtime: ContainerRuntime, settings: OrchestrationSettings): Promise<void> {
  const ours = runtime.driver === "docker" ? await runtime.list({ [containerLabels.instance]: settings.instance }) : [];
  await Promise.all(ours.map((container) => runtime.stop(container.name, settings.stopTimeoutMs)));
  await runtime.close();
}

/** With an engine, the sample apps' images; made from this machine's files, without a registry. */
export async function makeImages(config: DevConfig): Promise<void> {
  if (config.containers !== "docker") return;
  const { makeAppImage } = await import("../../../tools/images/index.ts");
  for (const app of exampleApps) {
    await makeAppImage({
      socketPath: config.dockerSocketPath,
      appFolder: app.folder,
      entry: "src/server.ts",
      image: `${devRegistry}/${app.name}:latest`,
      extraFolders: ["app.yaml", "key.pem"],
    });
  }
}
