import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  appserver,
  ProductionServer,
  type ProductionServices,
  runAppserver,
  startProductionServices,
} from "@appserver/testing/kit/production";

const started = await startProductionServices({}, "postgres");
const skip = "unavailable" in started ? started.unavailable : false;

describe("a server with the cache of its own memory", { skip }, () => {
  const services = started as ProductionServices;
  const environment = { ...services.environment, APPSERVER_CACHE_DRIVER: "memory" };
  const servers: ProductionServer[] = [];
  after(async () => {
    for (const server of servers) await server.kill();
    await services.stop();
  });

  test("runs alone: a second server is refused with one sentence, and starts some seconds after the first was killed", async () => {
    await appserver(["migrate"], environment);
    await appserver(["authz", "bootstrap"], environment);
    const first = await ProductionServer.create(environment);
    const second = await ProductionServer.create(environment);
    servers.push(first, second);
    first.start();
    await first.ready();
    const refused = await runAppserver(["serve"], { ...environment, APPSERVER_HTTP_PORT: "0", APPSERVER_GRPC_PORT: "0" });
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^appserver: another server \(.+:\d+\) runs on the same database, and this one has cache\.driver memory/m,
    );
    await first.kill();
    second.start();
    await second.ready();
    assert.equal(await second.stop(), 0);
    first.start();
    await first.ready();
    assert.equal(await first.stop(), 0);
  });
});
