import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import { request } from "undici";

describe("asset response headers", () => {
  let platform: PlatformUnderTest;
  let url: string;

  before(async () => {
    platform = await startPlatform();
    url = `${platform.httpUrl}/apps/com.example.notes/assets/remoteEntry.js`;
  });
  after(() => platform.stop());

  // Not fetch, because it decompresses and hides the coding.
  const get = async (address: string, headers: Record<string, string> = {}) => {
    const response = await request(address, { headers });
    return { status: response.statusCode, headers: response.headers, body: Buffer.from(await response.body.arrayBuffer()) };
  };

  test("the four headers, with the hash of the raw bytes for every coding", async () => {
    const plain = await get(url);
    const integrity = `sha256-${createHash("sha256").update(plain.body).digest("base64")}`;
    const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const [coding, decode] of Object.entries(decoders)) {
      const coded = await get(url, { "accept-encoding": coding });
      assert.equal(coded.headers["content-encoding"], coding);
      assert.equal(coded.headers["x-subresource-integrity"], integrity);
      assert.equal(coded.headers["cache-control"], "public, max-age=31536000, immutable");
      assert.match(String(coded.headers["etag"]), /^"[^"]+"$/);
      assert.notEqual(coded.headers["etag"], plain.headers["etag"]);
      assert.deepEqual(decode(coded.body), plain.body);
    }
    assert.equal(plain.headers["x-subresource-integrity"], integrity);
  });

  test("the URL from GraphQL names the release; another version is 404; the URL by app id serves the same file", async () => {
    const { data } = await platform.graphql(
      `{ asset(appName: "com.example.notes", assetName: "remoteEntry.js") { url integrity sha256 size } app(name: "com.example.notes") { id } }`,
    );
    const { asset, app } = data as { asset: { url: string; integrity: string; size: number }; app: { id: string } };
    const versioned = await get(platform.httpUrl + asset.url);
    assert.equal(versioned.status, 200);
    assert.equal(versioned.headers["x-subresource-integrity"], asset.integrity);
    assert.equal(versioned.body.length, asset.size);
    assert.equal((await get(`${url}?v=0000000000000000`)).status, 404);
    assert.deepEqual((await get(`${platform.httpUrl}/assets/${app.id}/remoteEntry.js`)).body, versioned.body);
    assert.equal((await get(`${url}.map`)).status, 404);
    assert.deepEqual(await platform.graphql('{ asset(appName: "com.example.notes", assetName: "none.js") { url } }'), {
      data: { asset: null },
    });
  });
});
