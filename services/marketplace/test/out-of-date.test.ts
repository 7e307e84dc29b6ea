import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { DeploymentState } from "@appserver/contracts/deployments";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { replaceOutOfDate } from "../src/use-cases/replace-out-of-date.ts";
import { setAppEnabled } from "../src/use-cases/set-app-enabled.ts";
import { rollbackApp, upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system = callBy({ kind: "system", reason: "test" });
const outOfDate = { wantedConfiguration: "v1:k:new" };

describe("deployments that are out of date", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  let apps = 0;
  let name = "";
  let id = "";
  const running = async (): Promise<void> => {
    name = `com.example.outdated${++apps}`;
    id = (await home.register(name)).app.id;
    await installApp(home.context, { name }, system);
    await report(1, "HEALTHY", { imageDigest: "sha256:one" });
  };
  beforeEach(running);

  /** Makes the orchestrator report a deployment. */
  const report = async (...[generation, state, more]: [number, DeploymentState, object?]): Promise<void> => {
    home.deploy(id, generation, state, more);
    await applyDeployment(home.context, name);
  };
  const target = async () => (await home.stored(name)).target;

  test("it is replaced by another deployment of the same release and image, by the platform itself", async () => {
    await report(1, "HEALTHY", outOfDate);
    await replaceOutOfDate(home.context);
    const { kind, generation, imageDigest, actor, configuration } = (await target()) ?? {};
    assert.deepEqual(
      [kind, generation, imageDigest, actor, configuration],
      ["redeploy", 2, "sha256:one", "system:out-of-date", "v1:k:new"],
    );
    home.deploy(id, 1, "HEALTHY");
    await report(2, "HEALTHY", { imageDigest: "sha256:one" });
    const { generation: now, failedConfiguration } = await home.stored(name);
    assert.deepEqual([now, failedConfiguration], [2, undefined]);
    await replaceOutOfDate(home.context);
    assert.equal(await target(), undefined);
  });

  test("a replacement that failed or was cancelled is not repeated until the configuration changes again", async () => {
    await report(1, "HEALTHY", outOfDate);
    await replaceOutOfDate(home.context);
    await report(2, "FAILED", { final: true, lastError: { code: "UPSTREAM_ERROR", message: "exited" } });
    assert.equal((await home.stored(name)).generation, 1);
    await replaceOutOfDate(home.context);
    assert.equal(await target(), undefined);
    home.deploy(id, 1, "HEALTHY", { wantedConfiguration: "v1:k:newer" });
    await replaceOutOfDate(home.context);
    assert.equal((await target())?.generation, 3);
    await rollbackApp(home.context, { name }, system);
    await replaceOutOfDate(home.context);
    assert.equal(await target(), undefined);
    home.deploy(id, 1, "HEALTHY");
  });

  test("one that does not run, is stopped for another release, or is disabled is not replaced", async () => {
    for (const [state, more] of [
      ["STARTING", {}],
      ["FAILED", { final: true }],
      ["HEALTHY", { pausedAt: new Date() }],
    ] as const) {
      home.deploy(id, 1, state, { ...outOfDate, ...more });
      await replaceOutOfDate(home.context);
      assert.equal(await target(), undefined, state);
    }
    home.deploy(id, 1, "HEALTHY", outOfDate);
    await setAppEnabled(home.context, { name, enabled: false }, system);
    await replaceOutOfDate(home.context);
    assert.equal(await target(), undefined);
    home.deploy(id, 1, "HEALTHY");
  });

  test("a command of a user goes first, and replaces the deployment as well", async () => {
    const { identity } = await home.register(`${name}x`);
    const registered = await home.stored(`${name}x`);
    [name, id] = [`${name}x`, registered.id];
    await installApp(home.context, { name }, system);
    await report(1, "HEALTHY", outOfDate);
    await home.submit(name, identity, { version: "1.1.0" });
    await upgradeApp(home.context, { name }, system);
    await replaceOutOfDate(home.context);
    assert.equal((await target())?.kind, "upgrade");
    home.deploy(id, 1, "HEALTHY");
  });

  test("at most four are replaced at the same time", async () => {
    const names: string[] = [name];
    home.deploy(id, 1, "HEALTHY", outOfDate);
    for (let more = 0; more < 5; more += 1) {
      await running();
      names.push(name);
      home.deploy(id, 1, "HEALTHY", outOfDate);
    }
    const switching = async () =>
      (await Promise.all(names.map((each) => home.stored(each)))).filter((app) => app.target).length;
    await replaceOutOfDate(home.context);
    assert.equal(await switching(), 4);
    await replaceOutOfDate(home.context);
    assert.equal(await switching(), 4);
  });

  test("an app that runs as root needs the approval of container:root", async () => {
    const root = `${name}r`;
    const requiredPermissions = [{ scope: "container:root", reason: "binds a device" }];
    await home.register(root, { user: "root", requiredPermissions });
    const refused = rejectsWith("APPROVAL_REQUIRED", /container:root/);
    await assert.rejects(installApp(home.context, { name: root }, system), refused);
  });

  test("limits and replicas above the operator's maximum block an installation", async () => {
    const greedy = `${name}g`;
    await home.register(greedy, { resources: { memoryMb: 4_097 } });
    const refused = rejectsWith("INVALID_STATE", /resources\.memory_mb 4097.*containers\.max_memory_mb/);
    await assert.rejects(installApp(home.context, { name: greedy }, system), refused);
    await home.register(`${name}s`, { replicas: { max: 11 } });
    const tooMany = rejectsWith("INVALID_STATE", /11 replicas, and this platform allows at most 10;.*containers\.max_replicas/);
    await assert.rejects(installApp(home.context, { name: `${name}s` }, system), tooMany);
  });
});
