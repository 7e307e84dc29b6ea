import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { callBy } from "@appserver/testing/kit";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { deleteApp } from "../src/use-cases/delete-app.ts";
import { descriptionConditions } from "../src/use-cases/describe/description-conditions.ts";
import { conditionsOf } from "../src/use-cases/find-app.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { listApps } from "../src/use-cases/read-apps.ts";
import { redeployApp } from "../src/use-cases/redeploy-app.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { upgradeApp } from "../src/use-cases/upgrade-app.ts";
import type { ManifestInit } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system = callBy({ kind: "system", reason: "test" });
const openapiUrl = "/openapi.json";

function documentWith(path: string) {
  return { openapi: "3.1.0", paths: { [path]: { get: {} } } };
}

function managed(name: string, version = "1.0.0"): ManifestInit {
  return {
    version,
    webApp: { api: { basePath: `/api/apps/${name}`, upstreamBaseUrl: `http://app-${name}:3000/base`, openapiUrl } },
  };
}

describe("descriptions of APIs", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  /** Returns the paths that are described of the release that serves, and the problem of the last reading. */
  async function described(name: string) {
    const { id: appId, manifestDigest } = await home.stored(name);
    const { descriptions } = home.context;
    const found = await descriptions.find({ appId, manifestDigest });
    const problem = (await descriptions.status({ appId, manifestDigest }))?.problem;
    return { paths: found?.operations.map(({ path }) => path), problem };
  }

  async function running(name: string) {
    const { identity, app } = await home.register(name, managed(name));
    await installApp(home.context, { name }, system);
    home.deploy(app.id, 1, "HEALTHY", { endpoint: `http://127.0.0.1:1001` });
    await applyDeployment(home.context, name);
    return { identity, app };
  }

  /** Switches to a second deployment of the same release, at the same address. */
  async function redeployed(name: string, appId: string): Promise<void> {
    await redeployApp(home.context, { name, pull: false }, system);
    home.deploy(appId, 2, "HEALTHY", { endpoint: "http://127.0.0.1:1001" });
    await applyDeployment(home.context, name);
    assert.equal((await home.stored(name)).generation, 2);
  }

  test("the document of a container is read once it is healthy, and that of the next release before the switch", async () => {
    const name = "com.example.described";
    home.documents.set("own http://127.0.0.1:1001/base/openapi.json", documentWith("/one"));
    const { identity, app } = await running(name);
    assert.deepEqual(await described(name), { paths: ["/one"], problem: undefined });

    await home.submit(name, identity, managed(name, "1.1.0"));
    await upgradeApp(home.context, { name }, system);
    home.documents.set("own http://127.0.0.1:1002/base/openapi.json", documentWith("/two"));
    let versionDuringReading = "";
    home.deploy(app.id, 2, "HEALTHY", { endpoint: "http://127.0.0.1:1002" });
    const saved = home.context.descriptions.save.bind(home.context.descriptions);
    const descriptions = Object.assign(Object.create(home.context.descriptions) as typeof home.context.descriptions, {
      save: async (...saving: Parameters<typeof saved>) => {
        versionDuringReading = (await home.stored(name)).version;
        await saved(...saving);
      },
    });
    await applyDeployment({ ...home.context, descriptions }, name);
    assert.equal(versionDuringReading, "1.0.0");
    assert.equal((await home.stored(name)).version, "1.1.0");
    assert.deepEqual(await described(name), { paths: ["/two"], problem: undefined });
  });

  test("a release serves without a description, and a condition says why until it is read", async () => {
    const name = "com.example.undescribed";
    home.documents.delete("own http://127.0.0.1:1001/base/openapi.json");
    const { app } = await running(name);
    const stored = await home.stored(name);
    assert.equal(stored.state, "RUNNING");
    const { paths, problem } = await described(name);
    assert.equal(paths, undefined);
    assert.match(problem ?? "", /openapi\.json returned 404/);
    const participants = [descriptionConditions(home.context.descriptions)];
    const conditions = await conditionsOf({ ...home.context, participants }, stored);
    assert.deepEqual([conditions[0]?.type, conditions[0]?.reason], ["ApiDescribed", "DescriptionUnreadable"]);
    assert.match(conditions[0]?.message ?? "", /returned 404/);
    const faulty = () =>
      listApps({ ...home.context, participants }, { filter: { needs: ["CONDITION"], names: [name] } }, system);
    assert.equal((await faulty()).items.length, 1);

    home.documents.set("own http://127.0.0.1:1001/base/openapi.json", documentWith("/late"));
    home.deploy(app.id, 1, "UNHEALTHY");
    await applyDeployment(home.context, name);
    home.deploy(app.id, 1, "HEALTHY", { endpoint: "http://127.0.0.1:1001" });
    await applyDeployment(home.context, name);
    assert.equal((await home.stored(name)).state, "RUNNING");
    assert.equal((await described(name)).paths, undefined, "a container that recovers is not asked again");
    await redeployed(name, app.id);
    assert.deepEqual(await described(name), { paths: ["/late"], problem: undefined });
    assert.deepEqual(await conditionsOf({ ...home.context, participants }, await home.stored(name)), []);
    assert.equal((await faulty()).items.length, 0);
  });

  test("a failed reading keeps what was read of the same release", async () => {
    const name = "com.example.keeps";
    const url = "own http://127.0.0.1:1001/base/openapi.json";
    home.documents.set(url, documentWith("/kept"));
    const { app } = await running(name);
    home.documents.set(url, { swagger: "2.0" });
    await redeployed(name, app.id);
    const { paths, problem } = await described(name);
    assert.deepEqual(paths, ["/kept"]);
    assert.match(problem ?? "", /^the document at http:\S+ is not in OpenAPI 3\.0/);
  });

  test("a release that keeps the container is described by it", async () => {
    const name = "com.example.page";
    const imageDigest = `sha256:${"1".repeat(64)}`;
    home.documents.set("own http://127.0.0.1:1001/base/openapi.json", documentWith("/one"));
    const { identity, app } = await home.register(name, { ...managed(name), imageDigest });
    await installApp(home.context, { name }, system);
    home.deploy(app.id, 1, "HEALTHY", { endpoint: "http://127.0.0.1:1001", imageDigest });
    await applyDeployment(home.context, name);
    await home.submit(name, identity, { ...managed(name, "1.1.0"), imageDigest });
    await upgradeApp(home.context, { name }, system);
    const { version, generation } = await home.stored(name);
    assert.deepEqual([version, generation], ["1.1.0", 1]);
    assert.deepEqual((await described(name)).paths, ["/one"]);
  });

  test("the document of an external backend is read when the app becomes RUNNING, and before each switch", async () => {
    const name = "com.example.external";
    const api = { basePath: `/api/apps/${name}`, upstreamBaseUrl: "http://backend.example.com", openapiUrl };
    home.documents.set("http://backend.example.com/openapi.json", documentWith("/one"));
    const { identity } = await home.register(name, { webApp: { api } });
    await installApp(home.context, { name }, system);
    assert.equal((await home.stored(name)).state, "RUNNING");
    assert.deepEqual((await described(name)).paths, ["/one"]);
    home.documents.set("http://docs.example.com/two.json", documentWith("/two"));
    const next = { ...api, openapiUrl: "http://docs.example.com/two.json" };
    await home.submit(name, identity, { version: "1.1.0", webApp: { api: next } });
    await upgradeApp(home.context, { name }, system);
    assert.deepEqual((await described(name)).paths, ["/two"]);
  });

  test("a description goes with its release", async () => {
    const name = "com.example.gone";
    home.documents.set("own http://127.0.0.1:1001/base/openapi.json", documentWith("/one"));
    const { app } = await running(name);
    const release = { appId: app.id, manifestDigest: app.manifestDigest };
    const { descriptions } = home.context;
    assert.ok(await descriptions.find(release));
    await uninstallApp(home.context, { name, purgeData: true }, system);
    home.deploy(app.id, 1, "STOPPED");
    await deleteApp(home.context, { name }, system);
    assert.equal(await descriptions.find(release), undefined);
    await descriptions.save(release, { readAt: new Date(), result: { problem: "too late" } });
    assert.equal(await descriptions.status(release), undefined);
  });
});
