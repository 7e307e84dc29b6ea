import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { nextNotes, type RunningPlatform } from "@appserver/testing/kit";
import { command, dataOf, switchBy } from "../contract/commands.ts";
import { createAppserver, prepareSampleApps, removeAppserver, sampleApps } from "./faulty-platform.ts";

suite("a start of appserver dev after an upgrade of a sample app", () => {
  const [name] = sampleApps;
  let platform: RunningPlatform;
  before(async () => {
    await prepareSampleApps();
    platform = await createAppserver();
  });
  after(() => removeAppserver(platform));

  test("the upgraded version runs again, and is not deployed again", async () => {
    platform.process.start();
    await platform.installed();
    await platform.register(await nextNotes());
    await command(platform, `approvePermissions(name: "${name}", scopes: ["page:origin"]) { success }`);
    await switchBy(platform, `upgradeApp(name: "${name}")`, 60_000);
    assert.equal(await platform.process.stop(), 0);
    platform.process.start();
    await platform.installed();
    type Seen = { app: { version: string }; auditLog: { edges: { node: { action: string } }[] } };
    const query = `{ app(name: "${name}") { version } auditLog(target: "app:${name}", first: 50) { edges { node { action } } } }`;
    const { app, auditLog } = await dataOf<Seen>(platform, query);
    assert.equal(app.version, "1.1.0");
    const actions = auditLog.edges.map(({ node }) => node.action);
    assert.deepEqual([actions.includes("app.upgrade"), actions.includes("app.redeploy")], [true, false], actions.join());
    assert.equal(await platform.process.stop(), 0);
  });
});
