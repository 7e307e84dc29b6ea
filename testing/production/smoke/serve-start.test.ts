import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  appserver,
  ProductionServer,
  type ProductionServices,
  startProductionServices,
} from "@appserver/testing/kit/production";

const services = await startProductionServices();

describe("appserver serve while its dependencies are missing", {
  skip: "unavailable" in services ? services.unavailable : false,
}, () => {
  let platform: ProductionServices;
  before(() => {
    if ("unavailable" in services) throw new Error("skipped");
    platform = services;
  });
  const servers: ProductionServer[] = [];
  after(async () => {
    for (const server of servers) await server.kill();
    await platform?.stop();
  });

  async function started(environment: Readonly<Record<string, string>> = {}): Promise<ProductionServer> {
    const server = await ProductionServer.create({ ...platform.environment, ...environment });
    servers.push(server);
    server.start();
    return server;
  }

  test("waits for a database; SIGTERM ends the start at once, with code 0", async () => {
    const server = await started({ APPSERVER_DB_PORT: "1" });
    await server.until(() => server.log.includes("database: the server is unreachable"));
    assert.match(await readiness(server), /^503 .*database.*down/s);
    await endsInTime(server);
  });

  test("waits for the authorization store, logs the command that creates it, and serves once it exists", async () => {
    const server = await started();
    await server.until(() => server.log.includes("appserver authz bootstrap"));
    assert.match(await readiness(server), /^503 .*authorization.*down/s);
    await endsInTime(server);
    server.start();
    await server.until(() => server.log.split("waiting for the store").length > 3);
    await appserver(["authz", "bootstrap"], platform.environment);
    await server.ready();
    assert.equal(await server.stop(), 0);
  });

  test("with several workers /ready is 200 once all of them serve, and stays 200", async () => {
    const server = await started({ APPSERVER_WORKERS: "3" });
    await server.ready();
    for (let ask = 0; ask < 30; ask++) assert.match(await readiness(server), /^200 /);
    assert.equal(await server.stop(), 0);
  });

  test("with several workers SIGTERM ends the start at once, too", async () => {
    const server = await started({ APPSERVER_WORKERS: "2", APPSERVER_DB_PORT: "1" });
    await server.until(() => server.log.includes("database: the server is unreachable"));
    await endsInTime(server);
  });
});

/** Returns status and body of /ready, each time over a new connection, so that any worker may receive it. */
async function readiness(server: ProductionServer): Promise<string> {
  const answer = await fetch(`${server.httpUrl}/ready`, { headers: { connection: "close" } });
  return `${answer.status} ${await answer.text()}`;
}

async function endsInTime(server: ProductionServer): Promise<void> {
  await sleep(100);
  const signalledAt = performance.now();
  assert.equal(await server.stop(), 0, server.log.slice(-2_000));
  assert.ok(performance.now() - signalledAt < 10_000);
}
