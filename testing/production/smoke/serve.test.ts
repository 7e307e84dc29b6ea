import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  appserver,
  ProductionServer,
  type ProductionServices,
  startProductionServices,
} from "@appserver/testing/kit/production";

const started = await startProductionServices();
const skip = "unavailable" in started ? started.unavailable : false;

describe("appserver serve on real PostgreSQL, Redis, RabbitMQ, OpenFGA and Kratos", { skip }, () => {
  const services = started as ProductionServices;
  const servers: ProductionServer[] = [];
  let migrated: string;

  before(async () => {
    migrated = await appserver(["migrate"], services.environment);
    await appserver(["authz", "bootstrap"], services.environment);
    for (let n = 0; n < 2; n++) servers.push(await ProductionServer.create(services.environment));
    for (const server of servers) server.start();
    for (const server of servers) await server.ready();
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await services.stop();
  });

  test("`appserver migrate` has created every table, including those of the activity queue", async () => {
    for (const applied of ["marketplace/", "hooks/", "activity/", "activity_queue/"])
      assert.ok(migrated.includes(`applied ${applied}`), migrated);
    // The servers found no pending migration, and neither does a second run.
    assert.equal(await appserver(["migrate"], services.environment), "Nothing to migrate.\n");
  });

  test("two replicas are ready with all their dependencies", async () => {
    for (const { httpUrl } of servers) {
      const { checks } = (await (await fetch(`${httpUrl}/ready`)).json()) as { checks: Record<string, { status: string }> };
      const seen = Object.entries(checks).map(([name, { status }]) => `${name} ${status}`);
      assert.deepEqual(seen.sort(), ["authorization up", "broker up", "cache up", "database up", "identity up"]);
    }
  });

  test("a replica that was killed and started again is ready at the same address", async () => {
    const [first = assert.fail()] = servers;
    await first.kill();
    assert.equal(first.isRunning, false);
    first.start();
    await first.ready();
    assert.equal((await fetch(`${first.httpUrl}/health`)).status, 200);
  });

  test("a replica exits with code 0 after SIGTERM", async () => {
    assert.deepEqual(await Promise.all(servers.map((server) => server.stop())), [0, 0]);
  });
});
