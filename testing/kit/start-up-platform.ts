import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureDockerEngine } from "../../tools/services/docker-engine.ts";
import { completeAccount, logInToAccounts, type PasswordAccount } from "./accounts-http.ts";
import { TestDockerEngine } from "./docker-engine.ts";
import { installExamples, publishExamples } from "./example-apps.ts";
import { foreignSecrets } from "./foreign-secrets.ts";
import { embeddedConnection } from "./platform-database.ts";
import type { TestUser } from "./platform-under-test.ts";
import { buildPages } from "./production-pages.ts";
import { ProductionPlatform } from "./production-platform.ts";
import { appserver, ProductionProcess } from "./production-process.ts";
import { removeDataFolder } from "./remove-data-folder.ts";
import { testUserNames } from "./test-user-names.ts";
import { untilExamplesServed } from "./until-examples-served.ts";
import { UpProcess } from "./up-process.ts";

type Unavailable = { readonly unavailable: string };

/**
 * Starts `appserver up` as on a new machine: its own databases, registry and accounts, behind an engine guard, with the sample apps in
 * containers. Needs Docker. `options`: further options, by their variables.
 */
export async function startUpPlatform(
  options: Readonly<Record<string, string>> = {},
): Promise<ProductionPlatform | Unavailable> {
  await using ends = new AsyncDisposableStack();
  const engine = await ensureDockerEngine();
  if ("unavailable" in engine) return engine;
  ends.defer(engine.stop);
  const instance = `test-${randomBytes(6).toString("hex")}`;
  const network = `appserver-${instance}`;
  const folder = await mkdtemp(join(tmpdir(), "appserver-up-"));
  ends.defer(() => removeDataFolder(folder));
  ends.defer(async () => {
    const used = new TestDockerEngine(engine.socketPath, async () => {});
    await used.tidyUp(instance, network);
    await used.stop();
  });
  const guardSocket = join(folder, "engine.sock");
  const guard = new ProductionProcess(["engine-guard", instance, guardSocket, engine.socketPath], {});
  ends.defer(async () => void (await guard.stop()));
  guard.start();
  await guard.until(() => guard.log.includes("engine guard: started"));
  const logFile = join(folder, "server.log");
  const registrationToken = randomBytes(24).toString("base64url");
  const up = await UpProcess.create(
    folder,
    {
      ...foreignSecrets,
      APPSERVER_INSTANCE: instance,
      APPSERVER_CONTAINERS_NETWORK_NAME: network,
      APPSERVER_DOCKER_SOCKET_PATH: guardSocket,
      APPSERVER_REGISTRATION_TOKEN: registrationToken,
      APPSERVER_GRPC_REFLECTION_ENABLED: "true",
      // Upstreams of tests.
      APPSERVER_UPSTREAM_ALLOW_LOOPBACK: "true",
      // The networks of apps, which the platform refuses nevertheless.
      APPSERVER_UPSTREAM_ALLOW: "10.213.0.0/16",
      APPSERVER_CONTAINERS_STORAGE_USAGE_INTERVAL: "5s",
      ...options,
    },
    logFile,
  );
  ends.defer(async () => void (await up.stop()));
  up.start();
  await Promise.all([up.ready(), buildPages()]);
  const accounts = await makeAccounts(up);
  const adminToken = await logInToAccounts(up.httpUrl, accounts.admin);
  const { httpUrl, grpcUrl, internalAddress: registry } = up;
  const credentials = { username: "admin", password: adminToken };
  const addresses = {
    command: "up" as const,
    httpUrl,
    grpcUrl,
    logFile,
    registrationToken,
    adminToken,
    database: await embeddedConnection(folder),
    appsDatabase: await embeddedConnection(folder, "postgres-apps"),
    accounts,
    docker: { socketPath: engine.socketPath, instance, network, registry, credentials },
    servers: {},
  };
  const platform = new ProductionPlatform(addresses);
  await installExamples(platform, await publishExamples(engine.socketPath, registry, credentials));
  await untilExamplesServed(httpUrl);
  const running = ends.move();
  return new ProductionPlatform(addresses, () => running.disposeAsync());
}

/** Makes the people of the tests by the links that an operator gets. */
async function makeAccounts(up: UpProcess): Promise<Readonly<Record<TestUser, PasswordAccount>>> {
  const operator = (...args: readonly string[]): Promise<string> => appserver([...args, "--data", up.dataDir], {});
  const complete = (user: TestUser, link: string): Promise<PasswordAccount> => {
    const secret = () => randomBytes(12).toString("base64url");
    return completeAccount(link.trim(), {
      name: testUserNames[user],
      email: `${secret().toLowerCase()}@example.test`,
      password: secret(),
    });
  };
  const admin = await complete("admin", await up.administratorLink());
  const alice = await complete("alice", await operator("accounts", "invite"));
  const bob = await complete("bob", await operator("accounts", "invite"));
  await operator("authz", "grant", `user:${alice.id}`, "viewer", "app:com.example.notes");
  return { admin, alice, bob };
}
