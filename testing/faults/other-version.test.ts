import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { nextNotes, type RunningPlatform, until } from "@appserver/testing/kit";
import { createAppserver, prepareSampleApps, removeAppserver, sampleApps } from "./faulty-platform.ts";

suite("a start of appserver dev after an upgrade of a sample app", () => {
  const [name] = sampleApps;
  let platform: RunningPlatform;
  before(async () => {
    await prepareSampleApps();
    platform = await createAppserver();
  });
  after(() => removeAppserver(platform));

  const marketplace = () => platform.client().marketplace;

  test("the upgraded version runs again, and is not deployed again", async () => {
    platform.process.start();
    await platform.installed();
    await platform.register(await nextNotes());
    await marketplace().approvePermissions({ name, scopes: ["page:origin"] });
    const { operation } = await marketplace().upgradeApp({ name });
    await until("the upgrade has ended", async () => {
      const { operation: seen } = await marketplace().getOperation({ id: operation?.id ?? "" });
      assert.equal(seen?.error, undefined);
      return seen?.done === true;
    });
    assert.equal(await platform.process.stop(), 0);
    platform.process.start();
    await platform.installed();
    assert.equal((await marketplace().getApp({ name })).app?.version, "1.1.0");
    const { data } = await platform.graphql(`{ auditLog(target: "app:${name}", first: 50) { edges { node { action } } } }`);
    const { auditLog } = data as { auditLog: { edges: { node: { action: string } }[] } };
    const actions = auditLog.edges.map(({ node }) => node.action);
    assert.deepEqual([actions.includes("app.upgrade"), actions.includes("app.redeploy")], [true, false], actions.join());
    assert.equal(await platform.process.stop(), 0);
  });
});
