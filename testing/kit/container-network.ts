import { join } from "node:path";
import { DockerRuntime, TcpRelay } from "@appserver/containers-docker";
import type { PostgresConnection } from "@appserver/database-postgres";
import { ensurePostgres, type PrivatePostgres } from "../../tools/services/postgres.ts";
import { servicesFolder } from "../../tools/services/shared-service.ts";
import { TestDockerEngine } from "./docker-engine.ts";

/** The network of a platform's containers. */
export interface ContainerNetwork {
  readonly name: string;
  /** The address of this machine in the network. */
  readonly gateway: string;
  /**
   * The server of the apps' databases at this address, with the credentials of a superuser. It is not the platform's. The server
   * itself listens on the loopback interface only.
   */
  readonly databaseUrl: string;
  /** The same server, directly. */
  readonly database: PostgresConnection;
  /** Removes the platform's containers and the network. */
  remove(): Promise<void>;
}

/** Creates the network of an installation on an engine, and starts the server of the apps' databases unless `own` is one. */
export async function openContainerNetwork(
  socketPath: string,
  { instance }: { readonly instance: string },
  own?: Pick<PrivatePostgres, "connection">,
): Promise<ContainerNetwork> {
  const name = `appserver-${instance}`;
  const runtime = new DockerRuntime({ socketPath });
  const server = own
    ? { ...own.connection, stop: async () => {} }
    : await ensurePostgres({ folder: join(servicesFolder, "postgres-apps") });
  if ("unavailable" in server) throw new Error(server.unavailable);
  let relay: TcpRelay | undefined;
  const remove = async (): Promise<void> => {
    await relay?.stop();
    await runtime.close();
    const engine = new TestDockerEngine(socketPath, async () => {});
    await engine.tidyUp(instance, name);
    await engine.stop();
    await server.stop();
  };
  try {
    await runtime.ensureNetwork(name);
    const gateway = await runtime.networkGateway(name);
    if (gateway === undefined) throw new Error(`the network ${name} has no gateway`);
    const { host, port, user, password } = server;
    relay = new TcpRelay({ host: gateway, port }, { host, port });
    await relay.start();
    const database = { host, port, user, password, database: server.database };
    const databaseUrl = `postgres://${user}:${encodeURIComponent(password)}@${gateway}:${port}`;
    return { name, gateway, databaseUrl, database, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
