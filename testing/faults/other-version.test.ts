import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { nextNotes, until } from "@appserver/testing/kit";
import { askGraphql } from "../kit/platform-under-test.ts";
import { removeDataFolder } from "../kit/remove-data-folder.ts";
import { makeDataDir, prepareSampleApps, sampleApps } from "./faulty-platform.ts";
import { quietPort, ServerProcess } from "./server-process.ts";

suite("a start of appserver dev after an upgrade of a sample app", () => {
  const [name] = sampleApps;
  let folder = "";
  let server: ServerProcess;
  before(async () => {
    await prepareSampleApps();
    folder = await makeDataDir();
    server = new ServerProcess({ dataDir: folder, httpPort: await quietPort(), grpcPort: await quietPort(), examples: true });
  });
  after(async () => {
    if (server?.isRunning) await server.kill();
    await removeDataFolder(folder);
  });

  const marketplace = () => createPlatformClient({ grpcUrl: server.grpcUrl }).marketplace;

  test("the upgraded version runs again, and is not deployed again", async () => {
    server.start();
    await server.installed();
    await registerApp(createPlatformClient({ grpcUrl: server.grpcUrl }), await nextNotes());
    await marketplace().approvePermissions({ name, scopes: ["page:origin"] });
    const { operation } = await marketplace().upgradeApp({ name });
    await until("the upgrade has ended", async () => {
      const { operation: seen } = await marketplace().getOperation({ id: operation?.id ?? "" });
      assert.equal(seen?.error, undefined);
      return seen?.done === true;
    });
    assert.equal(await server.stop(), 0);
    server.start();
    await server.installed();
    assert.equal((await marketplace().getApp({ name })).app?.version, "1.1.0");
    const { data } = await askGraphql(
      { httpUrl: server.httpUrl, administrator: {} },
      `{ auditLog(target: "app:${name}", first: 50) { edges { node { action } } } }`,
    );
    const { auditLog } = data as { auditLog: { edges: { node: { action: string } }[] } };
    const actions = auditLog.edges.map(({ node }) => node.action);
    assert.deepEqual([actions.includes("app.upgrade"), actions.includes("app.redeploy")], [true, false], actions.join());
    assert.equal(await server.stop(), 0);
  });
});
