import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createTestDatabase, startOwnPostgres, type TestDatabase, type TestPostgres, testApp } from "@appserver/testing/kit";
import {
  appserver,
  ProductionServer,
  type ProductionServices,
  ReplicaGroup,
  runAppserver,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { ensurePostgres, type PostgresServer } from "../../../tools/services/postgres.ts";

const external = await ensurePostgres();
const skip = "unavailable" in external ? external.unavailable : false;

/** docs/guides/one-machine-to-many.md#the-database */
describe("a platform on the embedded PostgreSQL is moved to another server of an older version", { skip }, () => {
  const name = "test.moved";
  let embedded: TestPostgres;
  let services: ProductionServices;
  let target: TestDatabase;
  let group: ReplicaGroup;
  let moved: ProductionServer;
  let facts: Facts;
  let id: string;

  before(async () => {
    embedded = await startOwnPostgres();
    const started = await startProductionServices({ postgres: embedded }, "postgres");
    if ("unavailable" in started) throw new Error(started.unavailable);
    services = started;
    target = await createTestDatabase({ connection: external as PostgresServer });
    group = await ReplicaGroup.start(services, 1);
    const server = group.server(0);
    await group.register(server, await configuredApp(name));
    await group.client(server).marketplace.installApp({ name });
    const { app } = await dataOf<{ app: { id: string } }>(server, "query ($name: String!) { app(name: $name) { id } }", {
      name,
    });
    id = app.id;
    await group.untilState(server, name, "RUNNING");
    const values = { title: "Bücher 📚", token: "a-secret-token", pairs: [{ key: "a", value: "b" }] };
    await dataOf(server, "mutation ($id: ID!, $values: JSON!) { updateSettings(appID: $id, settings: $values) { success } }", {
      id,
      values,
    });
    await appserver(["migrate"], withAccounts());
    await appserver(["accounts", "invite", "--email", "ada@example.com"], withAccounts());
  });
  after(async () => {
    await moved?.stop();
    await group?.stop();
    await target?.stop();
    await services?.stop();
    await embedded?.stop();
    if (!("unavailable" in external)) await external.stop();
  });

  interface Facts {
    readonly apps: { readonly edges: readonly object[] };
    readonly settings: { readonly values: object; readonly secretsSet: readonly string[] };
    readonly audit: object;
  }

  const withAccounts = () => ({ ...services.environment, APPSERVER_IDENTITY_DRIVER: "accounts" });

  function configuredApp(app: string) {
    const api = { base_path: `/api/apps/${app}`, upstream_base_url: "http://127.0.0.1:9" };
    const definitions = [
      { key: "title", data_type: "STRING" },
      { key: "token", data_type: "STRING", sensitive: true },
      { key: "pairs", data_type: "KVPAIR_ARRAY" },
    ];
    return testApp({ name: app, web_app: { api }, settings: { definitions } });
  }

  async function dataOf<T>(server: ProductionServer, query: string, variables: object = {}): Promise<T> {
    const { data, errors } = await group.graphql(server, query, variables);
    assert.equal(errors, undefined);
    return data as T;
  }

  const factsOf = (server: ProductionServer): Promise<Facts> =>
    dataOf<Facts>(
      server,
      "query ($id: ID!) { apps { edges { node { id name state version } } } settings(appID: $id) { values version secretsSet } audit: auditLog { edges { node { id at actor action target } } } }",
      { id },
    );

  function urlOf(password = target.connection.password): string {
    const { host, port, user, database } = target.connection;
    return `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
  }

  function targetEnvironment(): Readonly<Record<string, string>> {
    const { host, port, user, password, database } = target.connection;
    return {
      ...services.environment,
      APPSERVER_DB_HOST: host,
      APPSERVER_DB_PORT: `${port}`,
      APPSERVER_DB_USER: user,
      APPSERVER_DB_PASSWORD: password,
      APPSERVER_DB_NAME: database,
    };
  }

  test("not while a server runs, and an error has no password", async () => {
    facts = await factsOf(group.server(0));
    assert.deepEqual(facts.settings.secretsSet, ["token"]);
    const running = await runAppserver(["database", "move", "--to", urlOf()], services.environment);
    assert.match(
      running.stderr,
      /^appserver: the platform runs on .* \(the server .*\): stop all servers, orchestrators and commands/m,
    );
    const denied = await runAppserver(["database", "move", "--to", urlOf("canary-4711")], services.environment);
    assert.match(
      denied.stderr,
      new RegExp(`^appserver: 127\\.0\\.0\\.1:.*/${target.connection.database}: password authentication failed`, "m"),
    );
    for (const { code, stdout, stderr } of [running, denied]) {
      assert.equal(code, 1);
      assert.doesNotMatch(stdout + stderr, /canary-4711/);
    }
  });

  test("the target serves the same data; the former database is refused by its successor's name", async () => {
    const { PGPASSWORD, url } = { PGPASSWORD: target.connection.password, url: urlOf("").replace(":@", "@") };
    await group.stop();
    await services.database.stop();
    const output = await appserver(["database", "move", "--to", url], { ...services.environment, PGPASSWORD });
    assert.match(
      output,
      /^copied \d+ rows of \d+ tables from .* to .*, and compared them\nSet these .*\n {2}APPSERVER_DB_HOST=127\.0\.0\.1\n/,
    );
    moved = await ProductionServer.create(targetEnvironment());
    moved.start();
    await moved.ready();
    assert.deepEqual(await factsOf(moved), facts);
    assert.equal(
      (
        await appserver(["accounts", "export", "ada@example.com"], {
          ...targetEnvironment(),
          APPSERVER_IDENTITY_DRIVER: "accounts",
        })
      ).includes("ada@example.com"),
      true,
    );
    const other = "test.afterwards";
    await group.register(moved, await configuredApp(other));
    await group.client(moved).marketplace.installApp({ name: other });
    await group.untilState(moved, other, "RUNNING");
    for (const args of [["serve"], ["migrate"], ["authz", "check", "user:a", "viewer", "app:b"]]) {
      const { code, stderr } = await runAppserver(args, services.environment);
      assert.equal(code, 1, args.join(" "));
      assert.match(
        stderr,
        new RegExp(
          `^appserver: the data of this database was moved to 127\\.0\\.0\\.1:\\d+/${target.connection.database}: expected`,
          "m",
        ),
      );
    }
    const again = await appserver(["database", "move", "--to", urlOf()], services.environment);
    assert.match(again, /^the platform is in .* already/);
  });

  test("the way back brings what was written since", async () => {
    await moved.stop();
    await target.database.stop();
    const { host, port, user, password, database } = services.connection;
    const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
    assert.match(await appserver(["database", "move", "--to", url], targetEnvironment()), /^copied/);
    const [server] = group.servers;
    assert.ok(server);
    server.start();
    await server.ready();
    assert.equal((await factsOf(server)).apps.edges.length, 2);
  });
});
