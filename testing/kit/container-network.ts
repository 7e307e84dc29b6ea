import { DockerRuntime } from "@appserver/containers-docker";
import { TestDockerEngine } from "./docker-engine.ts";

/** The network of a platform's containers. */
export interface ContainerNetwork {
  readonly name: string;
  /** The address of this machine in the network. */
  readonly gateway: string;
  /** Removes the platform's containers and the network. */
  remove(): Promise<void>;
}

/** Creates the network of an installation on an engine. */
export async function openContainerNetwork(socketPath: string, instance: string): Promise<ContainerNetwork> {
  const name = `appserver-${instance}`;
  const runtime = new DockerRuntime({ socketPath });
  const remove = async (): Promise<void> => {
    await runtime.close();
    const engine = new TestDockerEngine(socketPath, async () => {});
    await engine.tidyUp(instance, name);
    await engine.stop();
  };
  try {
    await runtime.ensureNetwork(name);
    const gateway = await runtime.networkGateway(name);
    if (gateway === undefined) throw new Error(`the network ${name} has no gateway`);
    return { name, gateway, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
