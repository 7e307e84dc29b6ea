import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { digestOf, manifestOf, ociManifest, RegistryUnderTest } from "./registry-under-test.ts";

const app = "com.example.notes";
const registry = new RegistryUnderTest();
const absent = digestOf("absent");

/** End points of the OCI Distribution Specification 1.1, by their number there. */
describe("OCI distribution", () => {
  before(() => registry.start());
  after(() => registry.stop());

  test("end-1: GET /v2/ says that the registry is there", async () => {
    const { status, headers } = await registry.send("/v2/");
    assert.deepEqual([status, headers["docker-distribution-api-version"]], [200, "registry/2.0"]);
    assert.equal(headers["appserver-images"], "images");
    assert.equal((await registry.send("/v2")).status, 200);
  });

  test("end-2: blobs, whole and in part", async () => {
    const digest = await registry.pushBlob(app, "0123456789");
    const path = `/v2/${app}/blobs/${digest}`;
    const head = await registry.send(path, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers["content-length"], head.headers["docker-content-digest"]], [200, "10", digest]);
    assert.equal((await registry.send(path)).text, "0123456789");
    for (const [range, status, text, contentRange] of [
      ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
      ["bytes=7-", 206, "789", "bytes 7-9/10"],
      ["bytes=-2", 206, "89", "bytes 8-9/10"],
      ["bytes=-999", 206, "0123456789", "bytes 0-9/10"],
      ["bytes=5-999", 206, "56789", "bytes 5-9/10"],
      ["bytes=5-2", 200, "0123456789", undefined],
      ["bytes=0-1,3-4", 200, "0123456789", undefined],
      ["lines=0-1", 200, "0123456789", undefined],
    ] as const) {
      const answer = await registry.send(path, { headers: { range } });
      assert.deepEqual([answer.status, answer.text, answer.headers["content-range"]], [status, text, contentRange], range);
    }
    for (const range of ["bytes=10-", "bytes=-0", "bytes=99999999999-"])
      assert.equal((await registry.send(path, { headers: { range } })).code, "RANGE_INVALID", range);
    const missing = await registry.send(`/v2/${app}/blobs/${absent}`);
    assert.deepEqual([missing.status, missing.code], [404, "BLOB_UNKNOWN"]);
  });

  test("end-3, end-7: manifests by tag and by digest, with the bytes and the media type of the push", async () => {
    const manifest = manifestOf(await registry.pushBlob(app, "{}"), await registry.pushBlob(app, "layer"));
    const digest = digestOf(manifest);
    const pushed = await registry.pushManifest(app, "latest", manifest);
    assert.deepEqual(
      [pushed.status, pushed.headers.location, pushed.headers["docker-content-digest"]],
      [201, `/v2/${app}/manifests/${digest}`, digest],
    );
    for (const reference of ["latest", digest]) {
      const { status, text, headers } = await registry.send(`/v2/${app}/manifests/${reference}`);
      assert.deepEqual(
        [status, text, headers["content-type"], headers["docker-content-digest"]],
        [200, manifest, ociManifest, digest],
      );
      const head = await registry.send(`/v2/${app}/manifests/${reference}`, { method: "HEAD" });
      assert.deepEqual([head.status, head.text, Number(head.headers["content-length"])], [200, "", manifest.length]);
    }
    for (const reference of ["other", absent]) {
      const { status, code } = await registry.send(`/v2/${app}/manifests/${reference}`);
      assert.deepEqual([status, code], [404, "MANIFEST_UNKNOWN"]);
    }
    assert.equal((await registry.pushManifest(app, absent, manifest)).code, "DIGEST_INVALID");
    const [entry] = registry.audited;
    assert.deepEqual(
      [entry?.actor, entry?.action, entry?.target, entry?.details],
      ["user:dora", "image.push", `app:${app}`, { digest, tag: "latest" }],
    );
    await registry.pushManifest(app, "latest", manifest);
    assert.equal(registry.audited.length, 1, "a push that changes nothing is not recorded again");
  });

  test("end-7: an index needs its manifests", async () => {
    const manifest = manifestOf(await registry.pushBlob(app, "{}"));
    const child = { mediaType: ociManifest, digest: digestOf(manifest), size: manifest.length };
    const mediaType = "application/vnd.oci.image.index.v1+json";
    const index = JSON.stringify({ schemaVersion: 2, manifests: [child] });
    assert.equal((await registry.pushManifest(app, "multi", index, mediaType)).code, "MANIFEST_BLOB_UNKNOWN");
    await registry.pushManifest(app, child.digest, manifest);
    assert.equal((await registry.pushManifest(app, "multi", index, mediaType)).status, 201);
    assert.equal((await registry.send(`/v2/${app}/manifests/multi`)).headers["content-type"], mediaType);
  });

  test("end-4a, end-6: a blob in one PUT", async () => {
    const { status, headers } = await registry.send(`/v2/${app}/blobs/uploads/`, { method: "POST" });
    assert.equal(status, 202);
    const digest = digestOf("monolithic");
    const put = await registry.send(`${headers.location}?digest=${digest}`, { method: "PUT", body: "monolithic" });
    assert.deepEqual([put.status, put.headers.location], [201, `/v2/${app}/blobs/${digest}`]);
    assert.equal((await registry.send(String(put.headers.location))).text, "monolithic");
  });

  test("end-4b: a blob in one POST", async () => {
    const digest = digestOf("at once");
    const path = `/v2/${app}/blobs/uploads/?digest=${digest}`;
    assert.equal((await registry.send(path, { method: "POST", body: "at once" })).status, 201);
    assert.equal((await registry.send(`/v2/${app}/blobs/${digest}`)).text, "at once");
  });

  test("end-5, end-13: a blob in chunks, continued where it ended", async () => {
    const { headers } = await registry.send(`/v2/${app}/blobs/uploads/`, { method: "POST" });
    const location = String(headers.location);
    const patch = (range: string, body: string) =>
      registry.send(location, { method: "PATCH", body, headers: { "content-range": range } });
    assert.deepEqual([(await patch("0-3", "abcd")).status, (await registry.send(location)).headers.range], [202, "0-3"]);
    assert.equal((await registry.send(location)).status, 204);
    for (const [range, body, code] of [
      ["0-3", "abcd", "RANGE_INVALID"],
      ["9-10", "ef", "RANGE_INVALID"],
      ["4-99", "ef", "BLOB_UPLOAD_INVALID"],
      ["-4", "ef", "RANGE_INVALID"],
      ["bytes 4-5/6", "ef", "RANGE_INVALID"],
    ] as const)
      assert.equal((await patch(range, body)).code, code, range);
    assert.equal((await patch("4-5", "ef")).headers.range, "0-5");
    const digest = digestOf("abcdefgh");
    const put = { method: "PUT", body: "gh", headers: { "content-range": "6-7" } };
    assert.equal((await registry.send(`${location}?digest=${digest}`, put)).status, 201);
    assert.equal((await registry.send(`/v2/${app}/blobs/${digest}`)).text, "abcdefgh");
    assert.equal((await registry.send(location)).code, "BLOB_UPLOAD_UNKNOWN");
  });

  test("an upload is cancelled", async () => {
    const { headers } = await registry.send(`/v2/${app}/blobs/uploads/`, { method: "POST" });
    const location = String(headers.location);
    assert.equal((await registry.send(location, { method: "DELETE" })).status, 204);
    assert.equal((await registry.send(location, { method: "PATCH", body: "x" })).code, "BLOB_UPLOAD_UNKNOWN");
  });

  test("end-8: tags in their order, by pages", async () => {
    const other = "com.example.tagged";
    assert.deepEqual(JSON.parse((await registry.send(`/v2/${other}/tags/list`)).text), { name: other, tags: [] });
    for (const tag of ["b", "a", "c"]) await registry.pushImage(other, tag, "same");
    const page = await registry.send(`/v2/${other}/tags/list?n=2`);
    assert.deepEqual(JSON.parse(page.text).tags, ["a", "b"]);
    const next = /^<(.+)>; rel="next"$/.exec(String(page.headers["link"]))?.[1];
    const rest = await registry.send(String(next));
    assert.deepEqual([JSON.parse(rest.text).tags, rest.headers["link"]], [["c"], undefined]);
  });

  test("end-9, end-10: nothing is deleted by hand", async () => {
    const digest = await registry.pushBlob(app, "stays");
    for (const path of [`blobs/${digest}`, "manifests/latest"]) {
      const { status, code } = await registry.send(`/v2/${app}/${path}`, { method: "DELETE" });
      assert.deepEqual([status, code], [405, "UNSUPPORTED"]);
    }
  });

  test("end-11: a blob of another repository is taken over, and one that it does not have is uploaded", async () => {
    const digest = await registry.pushBlob(app, "shared layer");
    const mount = (blob: string) =>
      registry.send(`/v2/com.example.second/blobs/uploads/?mount=${blob}&from=${app}`, { method: "POST" });
    const mounted = await mount(digest);
    assert.deepEqual([mounted.status, mounted.headers.location], [201, `/v2/com.example.second/blobs/${digest}`]);
    assert.equal((await registry.send(String(mounted.headers.location))).text, "shared layer");
    const unknown = await mount(absent);
    assert.deepEqual([unknown.status, unknown.headers["docker-upload-uuid"] !== undefined], [202, true]);
  });

  test("end-12: referrers are not supported, so that clients use tags", async () => {
    assert.equal((await registry.send(`/v2/${app}/referrers/${absent}`)).status, 404);
  });
});
