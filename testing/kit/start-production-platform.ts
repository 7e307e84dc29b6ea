import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineClient } from "@appserver/containers-docker";
import { containerLabels } from "@appserver/kernel/ports";
import { ensureDockerEngine } from "../../tools/services/docker-engine.ts";
import type { KratosAccount } from "../../tools/services/kratos-accounts.ts";
import { ensureRegistry } from "../../tools/services/registry.ts";
import { openContainerNetwork } from "./container-network.ts";
import { installExamples, publishExamples } from "./example-apps.ts";
import { foreignSecrets } from "./foreign-secrets.ts";
import type { TestUser } from "./platform-under-test.ts";
import { ProductionOrchestrator } from "./production-orchestrator.ts";
import { buildPages } from "./production-pages.ts";
import { ProductionPlatform } from "./production-platform.ts";
import { appserver } from "./production-process.ts";
import { ProductionServer } from "./production-server.ts";
import { type ProductionServices, startProductionServices } from "./production-services.ts";
import { quietPort } from "./quiet-port.ts";
import { testUserNames } from "./test-user-names.ts";
import { untilExamplesServed } from "./until-examples-served.ts";

type Unavailable = { readonly unavailable: string };
type Accounts = Readonly<Record<TestUser, KratosAccount>>;

/**
 * Starts the whole platform as operators run it: tables and model made by `appserver migrate` and `authz bootstrap`, one server
 * and one orchestrator on the host, sample apps pulled from a registry into containers. Takes half a minute. Needs Docker.
 * `options`: further options of `appserver serve`, by their variables.
 */
export async function startProductionPlatform(
  options: Readonly<Record<string, string>> = {},
): Promise<ProductionPlatform | Unavailable> {
  await using ends = new AsyncDisposableStack();
  const engine = await ensureDockerEngine();
  if ("unavailable" in engine) return engine;
  ends.defer(engine.stop);
  await removeLeftContainers(engine.socketPath);
  const registry = await ensureRegistry();
  if ("unavailable" in registry) return registry;
  ends.defer(registry.stop);
  const services = await startProductionServices();
  if ("unavailable" in services) return services;
  ends.defer(services.stop);

  const folder = await mkdtemp(join(tmpdir(), "appserver-production-"));
  ends.defer(() => rm(folder, { recursive: true }));
  const { instance } = services;
  const network = await openContainerNetwork(engine.socketPath, services);
  ends.defer(network.remove);
  const [accounts, examples] = await Promise.all([
    preparePlatform(services),
    publishExamples(engine.socketPath, registry.host),
    buildPages(),
  ]);

  const logFile = join(folder, "server.log");
  const port = await quietPort();
  const server = await ProductionServer.create(
    // Reachable for containers, but not from outside this machine.
    {
      ...services.environment,
      APPSERVER_BIND_ADDRESS: network.gateway,
      APPSERVER_HTTP_PORT: String(port),
      APPSERVER_PUBLIC_URL: `http://${network.gateway}:${port}`,
      // The engine may translate the addresses of tests.
      APPSERVER_METRICS_ALLOW: "0.0.0.0/0",
      APPSERVER_GRPC_REFLECTION_ENABLED: "true",
      // The networks of apps, which the server refuses nevertheless.
      APPSERVER_UPSTREAM_ALLOW: "10.213.0.0/16",
      ...options,
    },
    logFile,
  );
  const { httpUrl, grpcUrl } = server;
  const metricsPort = await quietPort();
  const orchestrator = new ProductionOrchestrator(services.environment, {
    socketPath: engine.socketPath,
    network: network.name,
    registry: registry.host,
    httpUrl,
    grpcUrl,
    environment: {
      ...foreignSecrets,
      APPSERVER_CONTAINERS_DATABASE_ADMIN_URL: network.databaseUrl,
      APPSERVER_CONTAINERS_STORAGE_USAGE_INTERVAL: "5s",
      APPSERVER_ORCHESTRATOR_METRICS_PORT: String(metricsPort),
    },
  });
  for (const process of [server, orchestrator]) {
    ends.defer(async () => void (await process.stop()));
    process.start();
  }
  await Promise.all([server.ready(), orchestrator.ready()]);
  const addresses = {
    command: "serve" as const,
    httpUrl,
    grpcUrl,
    logFile,
    registrationToken: services.registrationToken,
    adminToken: await services.accounts.logInForToken(accounts.admin),
    database: services.connection,
    appsDatabase: network.database,
    kratos: services.kratos,
    accounts,
    docker: { socketPath: engine.socketPath, instance, network: network.name, registry: registry.host },
    servers: {
      ...Object.fromEntries(Object.entries(services.environment).filter(([name]) => /^APPSERVER_.*_URL$/.test(name))),
      APPSERVER_ORCHESTRATOR_METRICS_PORT: `http://127.0.0.1:${metricsPort}`,
    },
  };
  await installExamples(new ProductionPlatform(addresses), examples);
  await untilExamplesServed(httpUrl);
  const running = ends.move();
  return new ProductionPlatform(addresses, () => running.disposeAsync());
}

/** Removes what a killed run of tests has left on the engine: its containers have the names of the sample apps. */
async function removeLeftContainers(socketPath: string): Promise<void> {
  const engine = new EngineClient(socketPath);
  try {
    const filters = JSON.stringify({ status: ["exited"], label: [containerLabels.instance] });
    const { body } = await engine.request("GET", "/containers/json", { query: { all: "true", filters } });
    for (const { Id, Labels } of body as readonly { Id: string; Labels: Readonly<Record<string, string>> }[])
      if (Labels[containerLabels.instance]?.startsWith("test-"))
        await engine.request("DELETE", `/containers/${Id}`, { query: { force: "true" }, accept: [404] });
  } finally {
    await engine.close();
  }
}

/** Does the steps of an operator before the first start. */
async function preparePlatform({ environment, accounts }: ProductionServices): Promise<Accounts> {
  await appserver(["migrate"], environment);
  await appserver(["authz", "bootstrap"], environment);
  const create = (user: TestUser) => {
    const [first = "", last = ""] = testUserNames[user].split(" ");
    return accounts.create({ first, last });
  };
  const [admin, alice, bob] = await Promise.all([create("admin"), create("alice"), create("bob")]);
  await appserver(["authz", "grant", `user:${admin.id}`, "assignee", "role:easy"], environment);
  await appserver(["authz", "grant", `user:${alice.id}`, "viewer", "app:com.example.notes"], environment);
  return { admin, alice, bob };
}
