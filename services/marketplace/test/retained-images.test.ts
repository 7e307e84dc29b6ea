import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { createMarketplaceReads, createNamedImages } from "../src/index.ts";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { startMarketplace } from "./marketplace-under-test.ts";
import { runningApp } from "./running-app.ts";

const system: Caller = { kind: "system", reason: "test" };

describe("the images that the orchestrator retains", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  test("those of the release that serves and of every kept release, until the app is uninstalled", async () => {
    const name = "com.example.pictured";
    const { id } = await runningApp(home, name);
    const reads = createMarketplaceReads(home.database);
    assert.deepEqual([...(await reads.retainedImages())], ["sha256:one"]);
    const { operation } = await upgradeApp(home.context, { name }, callBy(system));
    home.deploy(id, 2, "HEALTHY", { operationId: operation.id, imageDigest: "sha256:two" });
    await applyDeployment(home.context, name);
    assert.deepEqual([...(await reads.retainedImages())].sort(), ["sha256:one", "sha256:two"]);
    await uninstallApp(home.context, { name, purgeData: false }, callBy(system));
    assert.deepEqual([...(await reads.retainedImages())], []);
  });

  test("the registry of the platform keeps those of every stored release, whatever the state of its app", async () => {
    const name = "com.example.registered";
    const named = createNamedImages(home.database);
    const digest = `sha256:${"7".repeat(64)}`;
    await home.register(name, { imageDigest: digest });
    assert.ok((await named()).has(digest));
  });
});
