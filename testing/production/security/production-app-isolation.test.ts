import { TestDockerEngine } from "@appserver/testing/kit/docker";
import { startProductionPlatform } from "@appserver/testing/kit/production";
import type { Endpoint } from "./isolation/facts.ts";
import { type IsolatedPlatform, isolationSuite } from "./isolation/isolation-suite.ts";

const started = await startProductionPlatform();

/** The servers behind the platform, with the variable that has their address. */
const variables = {
  Redis: "APPSERVER_REDIS_URL",
  RabbitMQ: "APPSERVER_RABBITMQ_URL",
  OpenFGA: "APPSERVER_OPENFGA_API_URL",
  Kratos: "APPSERVER_KRATOS_PUBLIC_URL",
  "Kratos admin": "APPSERVER_KRATOS_ADMIN_URL",
  "metrics of the orchestrator": "APPSERVER_ORCHESTRATOR_METRICS_PORT",
};
const defaultPorts: Readonly<Record<string, number>> = { "redis:": 6379, "amqp:": 5672 };

async function start(): Promise<IsolatedPlatform> {
  if ("unavailable" in started) throw new Error(started.unavailable);
  const { docker, servers, database, registrationToken, adminToken } = started.addresses;
  const engine = new TestDockerEngine(docker.socketPath, async () => {});
  const urls = Object.values(servers).map((url) => new URL(url));
  return {
    platform: started,
    engine,
    registry: docker.registry,
    publish: (image) => engine.push(image),
    servers: {
      "database server": { host: database.host, port: database.port },
      ...Object.fromEntries(
        Object.entries(variables).map(([name, variable]) => [name, endpointOf(new URL(servers[variable] ?? ""))]),
      ),
    },
    secrets: [
      database.password,
      registrationToken,
      adminToken,
      ...urls.flatMap(({ password }) => (password === "" ? [] : [decodeURIComponent(password)])),
    ],
    stop: async () => {
      await engine.stop();
      await started.stop();
    },
  };
}

function endpointOf({ hostname: host, port, protocol }: URL): Endpoint {
  return { host, port: Number(port) || (defaultPorts[protocol] ?? 80) };
}

isolationSuite("the production platform", start, {
  skip: "unavailable" in started ? started.unavailable : undefined,
  hasAllServers: true,
});
