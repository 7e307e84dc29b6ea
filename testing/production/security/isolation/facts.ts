import type { PlatformUnderTest } from "@appserver/testing/kit";
import type { TestDockerEngine } from "@appserver/testing/kit/docker";

/** A listening server of the platform. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** What the attempts are given: more than an app could find out by itself, and no password. */
export interface Facts {
  readonly victim: {
    readonly name: string;
    readonly containerId: string;
    readonly address: string;
    readonly port: number;
    /** On 127.0.0.1 of the host. */
    readonly publishedPort: number;
    readonly network: string;
    readonly gateway: string;
    readonly database: string;
    readonly login: string;
    readonly password: string;
  };
  /** Where the intruder's container reaches the platform. */
  readonly platform: Endpoint & { readonly grpcPort: number; readonly database: string; readonly databaseUser: string };
  /** Addresses of the host: of the intruder's network, of the victim's, of the platform's, and another one. */
  readonly hosts: readonly string[];
  /** The servers behind the platform, by name. Empty in development. */
  readonly servers: Readonly<Record<string, Endpoint>>;
  /** The HTTP and gRPC ports that people on this machine use. */
  readonly ownPorts: readonly number[];
}

interface Inspected {
  readonly id: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly network: { readonly address: string; readonly gateway: string; readonly name: string };
  readonly publishedPort: number;
  /** Everything that `docker inspect` shows. */
  readonly text: string;
}

/** Reads a container as `docker inspect` shows it. */
export async function inspectApp(engine: TestDockerEngine, app: string): Promise<Inspected> {
  const found = await engine.inspect(`app-${app}`);
  const [[name, network] = []] = Object.entries(found?.NetworkSettings.Networks ?? {});
  if (!found || name === undefined || !network) throw new Error(`there is no container app-${app} in a network`);
  const pairs = found.Config.Env.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  const [binding] = Object.values(found.NetworkSettings.Ports ?? {}).flatMap((bindings) => bindings ?? []);
  return {
    id: found.Id,
    environment: Object.fromEntries(pairs) as Record<string, string>,
    network: { address: network.IPAddress, gateway: network.Gateway, name },
    publishedPort: Number(binding?.HostPort),
    text: JSON.stringify(found),
  };
}

interface Platform {
  readonly under: PlatformUnderTest;
  readonly engine: TestDockerEngine;
  /** Another address of the host. */
  readonly hostAddress: string | undefined;
  readonly servers: Facts["servers"];
}

/** Collects the facts about two running apps. */
export async function factsOf(
  { under, engine, hostAddress, servers }: Platform,
  intruder: string,
  victim: string,
): Promise<Facts> {
  const [own, other] = await Promise.all([inspectApp(engine, intruder), inspectApp(engine, victim)]);
  const platformUrl = new URL(own.environment["APPSERVER_HTTP_URL"] ?? "");
  const databases = await under.onDatabase((sql) =>
    sql.query<{ database: string; role: string }>("select current_database() as database, current_user as role"),
  );
  const hosts = [own.network.gateway, other.network.gateway, platformUrl.hostname, hostAddress];
  return {
    victim: {
      name: victim,
      containerId: other.id,
      address: other.network.address,
      port: 3000,
      publishedPort: other.publishedPort,
      network: other.network.name,
      gateway: other.network.gateway,
      database: other.environment["DB_NAME"] ?? "",
      login: other.environment["DB_USER"] ?? "",
      password: other.environment["DB_PASSWORD"] ?? "",
    },
    platform: {
      host: platformUrl.hostname,
      port: Number(platformUrl.port),
      grpcPort: Number(own.environment["APPSERVER_GRPC_ADDRESS"]?.split(":").at(-1)),
      database: databases.rows[0]?.database ?? "",
      databaseUser: databases.rows[0]?.role ?? "",
    },
    hosts: [...new Set(hosts.filter((host) => host !== undefined))],
    servers,
    ownPorts: [under.httpUrl, under.grpcUrl].map((url) => Number(new URL(url).port)),
  };
}
