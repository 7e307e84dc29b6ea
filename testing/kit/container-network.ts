import { DockerRuntime, TcpRelay } from "@appserver/containers-docker";
import type { PostgresConnection } from "@appserver/database-postgres";
import { TestDockerEngine } from "./docker-engine.ts";

/** The network of a platform's containers. */
export interface ContainerNetwork {
  readonly name: string;
  /** The address of this machine in the network. */
  readonly gateway: string;
  /** The database server at this address, with its credentials. The server itself listens on the loopback interface only. */
  readonly databaseUrl: string;
  /** Removes the platform's containers and the network. */
  remove(): Promise<void>;
}

interface Installation {
  readonly instance: string;
  readonly connection: PostgresConnection;
}

/** Creates the network of an installation on an engine. */
export async function openContainerNetwork(
  socketPath: string,
  { instance, connection }: Installation,
): Promise<ContainerNetwork> {
  const name = `appserver-${instance}`;
  const runtime = new DockerRuntime({ socketPath });
  let relay: TcpRelay | undefined;
  const remove = async (): Promise<void> => {
    await relay?.stop();
    await runtime.close();
    const engine = new TestDockerEngine(socketPath, async () => {});
    await engine.tidyUp(instance, name);
    await engine.stop();
  };
  try {
    await runtime.ensureNetwork(name);
    const gateway = await runtime.networkGateway(name);
    if (gateway === undefined) throw new Error(`the network ${name} has no gateway`);
    const { host, port, user, password } = connection;
    relay = new TcpRelay({ host: gateway, port }, { host, port });
    await relay.start();
    return { name, gateway, databaseUrl: `postgres://${user}:${encodeURIComponent(password)}@${gateway}:${port}`, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
