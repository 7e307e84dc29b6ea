import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { rollbackApp, upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { type ManifestInit, testAsset, testIdentity } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;

interface Release {
  readonly text: string;
  readonly image: string | undefined;
  readonly pattern: string;
  readonly ssr: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

function webAppOf(name: string, { pattern, ssr }: Pick<Release, "pattern" | "ssr">) {
  return {
    ui: {
      mode: UIMode.UI_MODE_FEDERATION,
      entryAssetName: "entry.js",
      exposedModule: "./Page",
      routeBase: `/${name.split(".").at(-1)}`,
      ssr,
    },
    api: {
      basePath: `/api/apps/${name}`,
      upstreamBaseUrl: `http://app-${name}:3000`,
      routes: [{ pattern, methods: ["GET"], scopes: ["items:read"] }],
    },
  };
}

describe("a release that differs in its page only", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  /** Runs 1.0.0, and registers 1.1.0 with another page and what `next` changes. */
  async function running(name: string, next: Partial<Release> = {}) {
    const identity = await testIdentity(name);
    const first: Release = { text: "one", image: digest("1"), pattern: "/items", ssr: false, environment: {} };
    const release = (version: string, { text, image, pattern, ssr, environment }: Release): ManifestInit => ({
      version,
      environment,
      ...(image === undefined ? {} : { imageDigest: image }),
      webApp: {
        assets: [testAsset("entry.js", text, identity)],
        ...webAppOf(name, { pattern, ssr }),
      },
    });
    const { app } = await home.submit(name, identity, release("1.0.0", first));
    await installApp(home.context, { name }, callBy(system));
    home.deploy(app.id, 1, "HEALTHY", { endpoint: "http://127.0.0.1:1", imageDigest: digest("1") });
    await applyDeployment(home.context, name);
    await home.submit(name, identity, release("1.1.0", { ...first, text: "two", ...next }));
  }

  test("serves at once, from the container that runs; so does a return to the release before", async () => {
    const name = "com.example.page";
    await running(name);
    const { app, operation } = await upgradeApp(home.context, { name }, callBy(system));
    assert.deepEqual(
      [app.version, app.generation, app.endpoint, app.target, app.imageDigest, operation.done],
      ["1.1.0", 1, "http://127.0.0.1:1", undefined, digest("1"), true],
    );
    assert.equal((await home.context.store.assets(app.id, app.manifestDigest))[0]?.name, "entry.js");
    assert.deepEqual(
      (await home.eventsOf(name)).map(({ type }) => type).slice(-1),
      ["app.upgraded"],
      "nothing was asked of the orchestrator",
    );
    const back = await rollbackApp(home.context, { name }, callBy(system));
    assert.deepEqual([back.app.version, back.app.generation, back.app.target], ["1.0.0", 1, undefined]);
  });

  test("content that a version had before is its newest revision when it is registered again", async () => {
    const name = "com.example.return";
    const identity = await testIdentity(name);
    const submit = (text: string) =>
      home.submit(name, identity, {
        imageDigest: digest("1"),
        webApp: { ...webAppOf(name, { pattern: "/items", ssr: false }), assets: [testAsset("entry.js", text, identity)] },
      });
    const { app } = await submit("one");
    await installApp(home.context, { name }, callBy(system));
    home.deploy(app.id, 1, "HEALTHY", { imageDigest: digest("1") });
    await applyDeployment(home.context, name);
    // An app switches to another revision of its version by itself.
    for (const text of ["two", "three"]) await submit(text);
    assert.equal((await submit("three")).changed, false);
    const { app: served, changed } = await submit("one");
    assert.equal(changed, true);
    assert.deepEqual([served.manifestDigest, served.revision, served.generation], [app.manifestDigest, 4, 1]);
    assert.equal((await home.context.store.assets(app.id, app.manifestDigest)).length, 1);
  });

  const others: Readonly<Record<string, Partial<Release>>> = {
    image: { image: digest("2") },
    tag: { image: undefined },
    variable: { environment: { COLOUR: "red" } },
    routes: { pattern: "/**" },
    rendering: { ssr: true },
  };
  for (const [what, change] of Object.entries(others))
    test(`starts another container with another ${what}`, async () => {
      const name = `com.example.${what}`;
      await running(name, change);
      const { app } = await upgradeApp(home.context, { name }, callBy(system));
      assert.deepEqual([app.version, app.target?.version, app.target?.generation], ["1.0.0", "1.1.0", 2]);
    });

  test("starts another container while the one that serves is not healthy", async () => {
    const name = "com.example.unwell";
    await running(name);
    const { id } = await home.stored(name);
    home.deploy(id, 1, "UNHEALTHY");
    await applyDeployment(home.context, name);
    const { app } = await upgradeApp(home.context, { name }, callBy(system));
    assert.equal(app.target?.generation, 2);
  });
});
