import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { type PlatformUnderTest, send, startPlatform } from "@appserver/testing/kit";

const paths = ["/sdk/appserver-sdk.tgz", "/cli/appctl.tgz"];

describe("packages for app developers", () => {
  let platform: PlatformUnderTest;
  let folder: string;
  before(async () => {
    platform = await startPlatform();
    folder = await mkdtemp(join(tmpdir(), "appserver-packages-"));
  });
  after(async () => {
    await platform.stop();
    await rm(folder, { recursive: true });
  });

  /** Returns a page of the index, and where its only link leads. */
  async function linkIn(page: string | URL): Promise<{ readonly text: string; readonly url: URL }> {
    const response = await fetch(page);
    const text = await response.text();
    const [, href = "", ...others] = [...text.matchAll(/<a href="([^"]*)"/g)].flat();
    assert.deepEqual([response.status, others], [200, []], text);
    return { text, url: new URL(href, page) };
  }

  test("anybody can load them; what is known is not sent again", async () => {
    for (const path of paths) {
      const { status, headers } = await send(platform.httpUrl, path, { method: "HEAD" });
      assert.deepEqual([status, headers["content-type"], headers["cache-control"]], [200, "application/gzip", "no-cache"]);
      const etag = String(headers["etag"]);
      assert.equal((await send(platform.httpUrl, path, { headers: { "if-none-match": etag } })).status, 304);
    }
    assert.equal((await send(platform.httpUrl, "/sdk/.inputs")).status, 404);
  });

  test("the index for pip leads to the SDK for Python in the version of the platform", async () => {
    const index = `${platform.httpUrl}/sdk/python/`;
    const project = (await linkIn(index)).url;
    assert.equal(project.pathname, "/sdk/python/appserver-sdk/");
    const { url, text } = await linkIn(project);
    const { data } = await platform.graphql("{ health { version } }");
    const { version } = (data as { health: { version: string } }).health;
    assert.equal(url.pathname, `/sdk/python/appserver_sdk-${version}-py3-none-any.whl`);
    assert.match(text, /data-requires-python="&gt;=3\.11"/);
    const response = await fetch(url);
    const hash = createHash("sha256").update(new Uint8Array(await response.arrayBuffer()));
    assert.equal(url.hash, `#sha256=${hash.digest("hex")}`);
    assert.deepEqual(
      [response.headers.get("content-type"), response.headers.get("cache-control")],
      ["application/zip", "no-cache"],
    );
  });

  test("npm installs them from the platform, without a registry", async () => {
    await writeFile(join(folder, "package.json"), JSON.stringify({ name: "outside", private: true }));
    const urls = paths.map((path) => platform.httpUrl + path);
    const options = ["--registry", "http://127.0.0.1:9", "--no-audit", "--no-fund"];
    await promisify(execFile)("npm", ["install", ...options, ...urls], { cwd: folder });
    const installed = JSON.parse(await readFile(join(folder, "node_modules/@appserver/sdk/package.json"), "utf8"));
    const { data } = await platform.graphql("{ health { version } }");
    assert.equal(installed.version, (data as { health: { version: string } }).health.version);
  });
});
