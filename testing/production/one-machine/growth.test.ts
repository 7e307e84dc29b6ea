import assert from "node:assert/strict";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { eventually, testApp } from "@appserver/testing/kit";
import {
  appserver,
  completeAccount,
  logInToAccounts,
  ProductionProcess,
  ProductionServer,
  type ProductionServices,
  startProductionServices,
  UpProcess,
} from "@appserver/testing/kit/production";
import { removeDataFolder } from "../../kit/remove-data-folder.ts";

type Environment = Readonly<Record<string, string>>;

const started = await startProductionServices({}, "all");
const skip = "unavailable" in started ? started.unavailable : false;
const name = "test.grown";
const ada = { email: "ada@example.test", name: "Ada", password: "a horse is no battery" };

/** docs/guides/one-machine-to-many.md: each step on a platform that has data. */
describe("a platform of one machine grows to several servers, option by option", { skip }, () => {
  const services = started as ProductionServices;
  const ends = new AsyncDisposableStack();
  let dataDir: string;
  let options: Environment;
  let up: UpProcess;
  let token: string;
  let id: string;
  let facts: object;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "appserver-growth-"));
    ends.defer(() => services.stop());
    ends.defer(() => removeDataFolder(dataDir));
    options = {
      APPSERVER_INSTANCE: services.instance,
      APPSERVER_CONTAINERS_DRIVER: "process",
      APPSERVER_ALLOW_PROCESSES: "true",
      APPSERVER_REGISTRATION_TOKEN: services.registrationToken,
    };
    up = await UpProcess.create(dataDir, options);
    ends.defer(async () => void (await up.stop()));
    up.start();
    await up.ready();
    await completeAccount(await up.administratorLink(), ada);
    token = await logInToAccounts(up.httpUrl, ada);
    await install(name);
    id = (await dataOf<{ app: { id: string } }>(`{ app(name: "${name}") { id } }`)).app.id;
    const values = { title: "Bücher", token: "a-secret-token" };
    const change = "mutation ($id: ID!, $values: JSON!) { updateSettings(appID: $id, settings: $values) { success } }";
    await dataOf(change, { id, values });
    await operator("authz", "grant", "user:alice", "viewer", `app:${name}`);
    facts = await factsOf();
  });
  after(() => ends.disposeAsync());

  const operator = (...args: readonly string[]): Promise<string> => appserver([...args, "--data", dataDir], {});
  const given = (...names: readonly string[]): Environment =>
    Object.fromEntries(names.map((each) => [each, services.environment[each] ?? assert.fail(`${each} is not given`)]));

  /** Starts the platform again, as after a change of its options. It has the data, and can change it. */
  async function restart(more: Environment): Promise<void> {
    await up.stop();
    options = { ...options, ...more };
    up = await UpProcess.create(dataDir, options);
    up.start();
    await up.ready();
    assert.deepEqual(await factsOf(), facts);
    assert.equal(await operator("authz", "check", "user:alice", "viewer", `app:${name}`), "yes\n");
  }

  async function install(app: string, url = up.grpcUrl): Promise<void> {
    const settings = {
      definitions: [
        { key: "title", data_type: "STRING" },
        { key: "token", data_type: "STRING", sensitive: true },
      ],
    };
    const ui = { mode: "ESM_COMPONENT", entry_asset_name: "main.js", route_base: `/${app.replace(".", "-")}` };
    const page = { "main.js": "export const mount = () => {};" };
    const signed = await testApp({ name: app, web_app: { assets: ["main.js"], ui }, settings }, page);
    await registerApp(createPlatformClient({ grpcUrl: url }), signed, services.registrationToken);
    await createPlatformClient({ grpcUrl: url, token }).marketplace.installApp({ name: app });
    const state = async () => (await dataOf<{ app: { state: string } }>(`{ app(name: "${app}") { state } }`)).app.state;
    await eventually(state, (each) => each === "RUNNING");
  }

  async function dataOf<T>(query: string, variables: object = {}, httpUrl = up.httpUrl, session = token): Promise<T> {
    const response = await fetch(`${httpUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${session}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { readonly data: T; readonly errors?: unknown };
    assert.equal(errors, undefined);
    return data;
  }

  const factsOf = (httpUrl = up.httpUrl, session = token): Promise<object> =>
    dataOf<object>(
      "query ($name: String!, $id: ID!) { app(name: $name) { id state version } settings(appID: $id) { values version secretsSet } }",
      { name, id },
      httpUrl,
      session,
    );

  test("the database", async () => {
    await up.stop();
    const databases = new ProductionProcess(["up", "--databases"], { ...up.environment });
    ends.defer(async () => void (await databases.stop()));
    databases.start();
    await databases.until(() => databases.printed.includes("Only the databases run"));
    const { host, port, user, password, database } = services.connection;
    const url = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
    await services.database.stop();
    assert.match(await operator("database", "move", "--to", url), /^copied \d+ rows of \d+ tables/);
    await databases.stop();
    await restart({
      APPSERVER_DB_DRIVER: "external",
      ...given("APPSERVER_DB_HOST", "APPSERVER_DB_PORT", "APPSERVER_DB_USER", "APPSERVER_DB_PASSWORD", "APPSERVER_DB_NAME"),
    });
  });

  test("the cache: Redis", async () => {
    await restart({ APPSERVER_CACHE_DRIVER: "redis", ...given("APPSERVER_REDIS_URL") });
  });

  test("the broker: RabbitMQ", async () => {
    await restart({ APPSERVER_BROKER_DRIVER: "rabbitmq", ...given("APPSERVER_RABBITMQ_URL") });
    await install("test.afterwards");
  });

  test("permissions: OpenFGA", async () => {
    const openfga = given("APPSERVER_OPENFGA_API_URL", "APPSERVER_OPENFGA_STORE_NAME");
    const target = { ...openfga, ...optional("APPSERVER_OPENFGA_API_TOKEN") };
    assert.match(
      await appserver(["authz", "move", "--to", "openfga", "--data", dataDir], target),
      /^copied \d+ tuples from embedded to openfga/,
    );
    await restart({ APPSERVER_AUTHORIZATION_DRIVER: "openfga", ...target });
    await operator("authz", "revoke", "user:alice", "viewer", `app:${name}`);
    await operator("authz", "grant", "user:alice", "viewer", `app:${name}`);
  });

  test("people: Kratos, with a new administrator", async () => {
    const account = await services.accounts.create();
    await up.stop();
    const kratos = given("APPSERVER_KRATOS_PUBLIC_URL", "APPSERVER_KRATOS_ADMIN_URL");
    await appserver(["authz", "grant", `user:${account.id}`, "assignee", "role:easy", "--data", dataDir], {});
    token = await services.accounts.logInForToken(account);
    await restart({ APPSERVER_IDENTITY_DRIVER: "kratos", ...kratos });
  });

  test("several servers, with the options and the keys of the folder", async () => {
    await up.stop();
    const environment = await optionsOfFolder();
    const { APPSERVER_PUBLIC_URL: _url, APPSERVER_GRPC_PORT: _grpc, ...shared } = environment;
    const servers = [await ProductionServer.create(shared), await ProductionServer.create(shared)];
    for (const server of servers) {
      ends.defer(async () => void (await server.stop()));
      server.start();
    }
    await Promise.all(servers.map((server) => server.ready()));
    for (const server of servers) assert.deepEqual(await factsOf(server.httpUrl), facts);
  });

  async function optionsOfFolder(): Promise<Environment> {
    const read = async <T>(file: string): Promise<T> => JSON.parse(await readFile(join(dataDir, file), "utf8")) as T;
    const keys = await read<readonly { readonly id: string; readonly key: string }[]>("settings-keys.json");
    const written = keys.map((each) => `${each.id}:${each.key}`).join(",");
    return { ...(await read<Environment>("operator.json")), APPSERVER_SETTINGS_ENCRYPTION_KEYS: written };
  }

  function optional(variable: string): Environment {
    const value = services.environment[variable];
    return value === undefined ? {} : { [variable]: value };
  }
});
