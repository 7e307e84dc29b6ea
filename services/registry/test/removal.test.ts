import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { manifestOf, RegistryUnderTest } from "./registry-under-test.ts";
import { keepUnusedMs } from "./test-registry.ts";

const app = "com.example.notes";
const day = 24 * 3_600_000;

describe("removal of unused images", () => {
  let registry: RegistryUnderTest;
  beforeEach(async () => {
    registry = new RegistryUnderTest();
    await registry.start();
  });
  afterEach(() => registry.stop());

  const statusOf = async (reference: string) => (await registry.send(`/v2/${app}/manifests/${reference}`)).status;
  const files = (): readonly string[] =>
    readdirSync(registry.folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      statSync(join(registry.folder, name)).isFile(),
    );

  test("an image of a release stays with its layers, and others go with their tags after their time", async () => {
    const released = await registry.pushImage(app, "latest", "one");
    const shared = await registry.pushBlob(app, "one");
    const replaced = await registry.pushImage(app, "latest", "two");
    registry.retained = new Set([released]);
    registry.clock.advance(keepUnusedMs - 1_000);
    const fresh = await registry.pushImage(app, "next", "three");
    await registry.clean();
    assert.deepEqual([await statusOf(released), await statusOf(replaced), await statusOf("latest")], [200, 200, 200]);
    registry.clock.advance(2_000);
    await registry.clean();
    assert.deepEqual([await statusOf(released), await statusOf(replaced), await statusOf(fresh)], [200, 404, 200]);
    assert.deepEqual([await statusOf("latest"), await statusOf("next")], [404, 200]);
    assert.equal((await registry.send(`/v2/${app}/blobs/${shared}`)).text, "one");
    registry.clock.advance(day);
    await registry.clean();
    assert.equal(files().length, 3, "a manifest with its configuration and its layer");
    registry.retained = new Set();
    await registry.clean();
    assert.deepEqual([files(), readdirSync(join(registry.folder, "repositories"))], [[], []]);
  });

  test("a push that finds old layers keeps them, at whatever step the removal is", async () => {
    const [config, layer] = [await registry.pushBlob(app, "{}"), await registry.pushBlob(app, "old layer")];
    const manifest = manifestOf(config, layer);
    for (let round = 0; round < 30; round += 1) {
      registry.clock.advance(2 * day);
      const cleaning = registry.clean();
      const push = async (): Promise<number> => {
        for (const blob of [config, layer])
          if ((await registry.send(`/v2/${app}/blobs/${blob}`, { method: "HEAD" })).status === 404)
            await registry.pushBlob(app, blob === config ? "{}" : "old layer");
        return (await registry.pushManifest(app, "latest", manifest)).status;
      };
      const [status] = await Promise.all([push(), cleaning]);
      assert.equal(status, 201);
      await registry.clean();
      assert.equal(await statusOf("latest"), 200);
      for (const blob of [config, layer])
        assert.equal((await registry.send(`/v2/${app}/blobs/${blob}`)).status, 200, `round ${round}`);
    }
  });

  test("the layers of the manifests in an index are marked with it", async () => {
    const child = await registry.pushImage(app, "child", "of an index");
    registry.clock.advance(2 * day);
    const mediaType = "application/vnd.oci.image.index.v1+json";
    const index = JSON.stringify({ schemaVersion: 2, mediaType, manifests: [{ digest: child }] });
    assert.equal((await registry.pushManifest(app, "multi", index, mediaType)).status, 201);
    await registry.clean();
    const layer = await registry.send(`/v2/${app}/manifests/${child}`);
    for (const { digest } of JSON.parse(layer.text).layers)
      assert.equal((await registry.send(`/v2/${app}/blobs/${digest}`)).status, 200);
  });

  test("uploads that got nothing for an hour go", async () => {
    const { headers } = await registry.send(`/v2/${app}/blobs/uploads/`, { method: "POST" });
    await registry.clean();
    assert.equal((await registry.send(String(headers.location))).status, 204);
    registry.clock.advance(3_700_000);
    await registry.clean();
    assert.equal((await registry.send(String(headers.location))).code, "BLOB_UPLOAD_UNKNOWN");
  });

  test("a layer in two repositories stays in one when it goes from the other", async () => {
    const image = await registry.pushImage(app, "latest", "shared");
    const layer = JSON.parse((await registry.send(`/v2/${app}/manifests/${image}`)).text).layers[0].digest;
    await registry.send(`/v2/com.example.second/blobs/uploads/?mount=${layer}&from=${app}`, { method: "POST" });
    registry.retained = new Set([image]);
    registry.clock.advance(2 * day);
    await registry.clean();
    assert.equal((await registry.send(`/v2/${app}/blobs/${layer}`)).text, "shared");
    assert.equal((await registry.send(`/v2/com.example.second/blobs/${layer}`)).status, 404);
  });
});
