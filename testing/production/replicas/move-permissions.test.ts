import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "@appserver/testing/kit";
import {
  appserver,
  ProductionProcess,
  ProductionServer,
  type ProductionServices,
  ReplicaGroup,
  runAppserver,
  startProductionServices,
} from "@appserver/testing/kit/production";

const started = await startProductionServices({}, "all");
const skip = "unavailable" in started ? started.unavailable : false;
const viewer = ["user:11111111-1111-4111-8111-111111111111", "viewer", "app:test.notes"] as const;
const grant = `mutation { grantAccess(user: "${viewer[0]}", relation: "viewer", object: "app:test.other") { user } }`;

describe("permissions are moved between OpenFGA and the platform's database, with two servers that run", { skip }, () => {
  const services = started as ProductionServices;
  const withDriver = (driver: string) => ({ ...services.environment, APPSERVER_AUTHORIZATION_DRIVER: driver });
  const servers: ProductionServer[] = [];
  let group: ReplicaGroup;

  before(async () => {
    group = await ReplicaGroup.start({ ...services, environment: withDriver("embedded") });
  });
  after(async () => {
    for (const server of servers) await server.stop();
    await group?.stop();
    await services.stop();
  });

  async function start(driver: string): Promise<ProductionServer> {
    const server = await ProductionServer.create(withDriver(driver));
    servers.push(server);
    server.start();
    await server.ready();
    return server;
  }

  const errorOf = async (server: ProductionServer) => (await group.graphql(server, grant)).errors?.[0]?.message;
  const move = (from: string, to: string) => appserver(["authz", "move", "--to", to], withDriver(from));
  const check = (driver: string) => runAppserver(["authz", "check", ...viewer], withDriver(driver));

  test("to OpenFGA: checks continue, changes wait until every server has restarted", async () => {
    await appserver(["authz", "grant", ...viewer], withDriver("embedded"));
    assert.match(
      await move("embedded", "openfga"),
      /^copied \d+ tuples from embedded to openfga\nSet authorization\.driver to openfga/,
    );
    assert.match(await move("embedded", "openfga"), /^the permissions are in openfga already/);
    assert.match((await errorOf(group.server(0))) ?? "", /restart it with openfga/);
    assert.equal(await group.stateOf(group.server(0), "test.none"), "absent", "the administrator is still known");
    const refused = await runAppserver(["serve"], withDriver("embedded"));
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^appserver: the permissions are in the authorization driver openfga, but authorization\.driver is embedded/m,
    );
    const a = await start("openfga");
    assert.match((await errorOf(a)) ?? "", /has another authorization driver/);
    await group.stop();
    assert.equal(await errorOf(a), undefined);
    assert.equal((await check("openfga")).stdout, "yes\n");
    await appserver(["authz", "revoke", ...viewer], withDriver("openfga"));
    assert.equal((await check("openfga")).stdout, "no\n");
  });

  test("a killed move leaves the permissions where they are; one back brings no revoked permission back", async () => {
    const { database } = services;
    const killed = new ProductionProcess(["authz", "move", "--to", "embedded"], withDriver("openfga"));
    killed.start();
    await until("the copy began", async () => {
      const { rows } = await database.query("select 1 from platform.authorization_home where moving_until > now()");
      return rows.length > 0;
    });
    await killed.kill();
    const { rows } = await database.query<{ driver: string }>("select driver from platform.authorization_home");
    assert.equal(rows[0]?.driver, "openfga");
    const [a] = servers;
    assert.ok(a);
    await until("changes are accepted again", async () => (await errorOf(a)) === undefined, 60_000);
    assert.match(
      await move("openfga", "embedded"),
      /^copied \d+ tuples from openfga to embedded, and removed 1 that only embedded had/,
    );
    assert.equal((await check("embedded")).stdout, "no\n");
    await a.stop();
    assert.equal(await errorOf(await start("embedded")), undefined);
  });
});
