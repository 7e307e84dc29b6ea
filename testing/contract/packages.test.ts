import assert from "node:assert/strict";
import { execFile } from "node:child_process";
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

  test("anybody can load them; what is known is not sent again", async () => {
    for (const path of paths) {
      const { status, headers } = await send(platform.httpUrl, path, { method: "HEAD" });
      assert.deepEqual([status, headers["content-type"], headers["cache-control"]], [200, "application/gzip", "no-cache"]);
      const etag = String(headers["etag"]);
      assert.equal((await send(platform.httpUrl, path, { headers: { "if-none-match": etag } })).status, 304);
    }
    assert.equal((await send(platform.httpUrl, "/sdk/.inputs")).status, 404);
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
