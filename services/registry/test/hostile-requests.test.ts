import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { basic, digestOf, manifestOf, RegistryUnderTest } from "./registry-under-test.ts";
import { keepUnusedMs, limits } from "./test-registry.ts";

const app = "com.example.notes";
const uploads = `/v2/${app}/blobs/uploads/`;
const registry = new RegistryUnderTest();
const digest = digestOf("blob");
const everyRoute = [
  ["GET", "/v2/"],
  ["POST", uploads],
  ["POST", `${uploads}?mount=${digest}&from=com.example.other`],
  ["PATCH", `${uploads}0e0e0e0e-0000-4000-8000-000000000000`],
  ["PUT", `${uploads}0e0e0e0e-0000-4000-8000-000000000000?digest=${digest}`],
  ["GET", `/v2/${app}/blobs/${digest}`],
  ["GET", `/v2/${app}/manifests/latest`],
  ["PUT", `/v2/${app}/manifests/latest`],
  ["GET", `/v2/${app}/tags/list`],
  ["GET", "/v2/_catalog"],
  ["GET", "/v2/../../etc/passwd"],
] as const;

test("all images together have a largest size, and a removal makes place", async () => {
  const full = new RegistryUnderTest();
  await full.start();
  try {
    for (const name of ["com.example.a", "com.example.b"])
      for (const fill of [1, 2]) await full.pushBlob(name, Buffer.alloc(900_000, fill));
    const push = () =>
      full.send(`${uploads}?digest=${digestOf(Buffer.alloc(900_000))}`, { method: "POST", body: Buffer.alloc(900_000) });
    const { status, code, text } = await push();
    assert.deepEqual([status, code], [403, "DENIED"]);
    assert.match(text, /all images are larger than 4000000 bytes \(registry\.max_size\)/);
    full.clock.advance(2 * keepUnusedMs);
    await full.clean();
    assert.equal((await push()).status, 201);
  } finally {
    await full.stop();
  }
});

describe("the registry and hostile requests", () => {
  before(() => registry.start());
  after(() => registry.stop());
  afterEach(() => assert.deepEqual(registry.failures, []));

  test("anonymous callers get 401 everywhere, before anything of the path or the body is read", async () => {
    for (const [method, path] of everyRoute) {
      const { status, code, headers } = await registry.send(path, { method }, "");
      assert.deepEqual([status, code], [401, "UNAUTHORIZED"], path);
      assert.match(String(headers["www-authenticate"]), /^Basic realm=/);
    }
    assert.equal(registry.attempts, 0, "a request without credentials is no attempt");
  });

  test("a stranger's body is not read: the connection ends with the refusal", async () => {
    const { hostname, port } = new URL(registry.url);
    const socket = connect(Number(port), hostname);
    socket.write(`PATCH ${uploads} HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\nfirst bytes`);
    const [head] = await once(socket, "data");
    assert.match(String(head), /^HTTP\/1\.1 401 .*connection: close/is);
    await once(socket, "close");
  });

  test("accounts without app:register, apps, and tokens of another app get 403", async () => {
    for (const account of ["viewer", "narrow", "pipeline"])
      for (const [method, path] of everyRoute.slice(1, 9)) {
        const { status, code } = await registry.send(path, { method }, account);
        assert.deepEqual([status, code], [403, "DENIED"], `${account} ${path}`);
      }
    assert.equal((await registry.send("/v2/", {}, "app")).status, 401);
    const own = await registry.send("/v2/com.example.other/blobs/uploads/", { method: "POST" }, "pipeline");
    assert.equal(own.status, 202, "a trusted pipeline pushes images of its apps");
  });

  test("wrong passwords are counted, and refused with 429 after too many", async () => {
    const before = registry.attempts;
    for (const authorization of ["Basic eA==", "Basic ", "Digest x", "Basic eDp5", "Bearer nothing"])
      assert.equal((await registry.send("/v2/", { headers: { authorization } }, "")).status, 401, authorization);
    assert.equal(registry.attempts, before + 2, "only those with a password count");
    registry.allowsAttempts = false;
    const { status, headers } = await registry.send("/v2/", { headers: basic("dora", "wrong") }, "");
    assert.deepEqual([status, headers["retry-after"]], [429, "2"]);
    assert.equal((await registry.send("/v2/")).status, 200);
    registry.allowsAttempts = true;
  });

  test("paths that could leave a repository name nothing", async () => {
    for (const path of [
      "/v2/../manifests/latest",
      "/v2/%2e%2e/manifests/latest",
      `/v2/${app}/../other/manifests/latest`,
      `/v2/${app}%2fother/manifests/latest`,
      `/v2/${app}/manifests/..`,
      `/v2/${app}/manifests/.hidden`,
      `/v2/${app}/manifests/%2e%2e`,
      `/v2/${app}/manifests/a%00b`,
      `/v2/${app}/manifests/sha256:../../x`,
      `/v2/${app}/manifests/${"x".repeat(129)}`,
      `/v2/${app}/blobs/sha256:${"0".repeat(63)}/`,
      `/v2/${app}/blobs/sha256:${"A".repeat(64)}`,
      `/v2/${app}/blobs/sha512:${"0".repeat(128)}`,
      `/v2/${app}/blobs/uploads/../../x`,
      `/v2/${app}/blobs/uploads/..`,
      `/v2/a/b/manifests/latest`,
      `/v2/Upper/manifests/latest`,
      `/v2/app/manifests/latest`,
      `/v2//manifests/latest`,
      `/v2/${"x".repeat(64)}/manifests/latest`,
      `/v2/${app}/tags/list/x`,
      `/v2/${app}\\x/manifests/latest`,
      `/v2/${"x/".repeat(2_000)}`,
    ]) {
      const { status, code } = await registry.send(path);
      assert.ok(status === 400 || status === 404, `${path}: ${status} ${code}`);
    }
    const from = (name: string) => registry.send(`${uploads}?mount=${digest}&from=${name}`, { method: "POST" });
    for (const name of ["..", "%2e%2e%2fx", "a%2Fb", ""]) assert.equal((await from(name)).code, "NAME_INVALID", name);
    assert.deepEqual(readdirSync(join(registry.folder, "repositories")), []);
  });

  test("an upload belongs to its account and its repository", async () => {
    const { headers } = await registry.send(uploads, { method: "POST" });
    const location = String(headers.location);
    const foreign = location.replace(app, "com.example.other");
    for (const [path, account] of [
      [location, "ci"],
      [foreign, "dora"],
    ] as const)
      for (const method of ["GET", "PATCH", "PUT", "DELETE"]) {
        const { code } = await registry.send(`${path}?digest=${digest}`, { method }, account);
        assert.equal(code, "BLOB_UPLOAD_UNKNOWN", `${method} ${path}`);
      }
    assert.equal((await registry.send(location, { method: "DELETE" })).status, 204);
  });

  test("bytes with another digest are dropped, and never served", async () => {
    const { headers } = await registry.send(uploads, { method: "POST" });
    const { status, code } = await registry.send(`${headers.location}?digest=${digest}`, {
      method: "PUT",
      body: "other bytes",
    });
    assert.deepEqual([status, code], [400, "DIGEST_INVALID"]);
    assert.equal((await registry.send(String(headers.location))).code, "BLOB_UPLOAD_UNKNOWN");
    for (const wanted of [digest, digestOf("other bytes")])
      assert.equal((await registry.send(`/v2/${app}/blobs/${wanted}`)).status, 404);
    assert.equal((await registry.send(`${uploads}?digest=md5:0`, { method: "POST" })).code, "DIGEST_INVALID");
  });

  test("a layer, the images of an app, and a manifest have a largest size", async () => {
    const big = "com.example.big";
    const upload = async () => String((await registry.send(`/v2/${big}/blobs/uploads/`, { method: "POST" })).headers.location);
    const location = await upload();
    const tooLarge = await registry.send(location, { method: "PATCH", body: Buffer.alloc(limits.maxLayerBytes + 1) });
    assert.deepEqual([tooLarge.status, tooLarge.code], [413, "SIZE_INVALID"]);
    await registry.send(location, { method: "DELETE" });
    for (const fill of [1, 2]) await registry.pushBlob(big, Buffer.alloc(limits.maxLayerBytes, fill));
    const full = await registry.send(await upload(), { method: "PATCH", body: Buffer.alloc(limits.maxLayerBytes, 3) });
    assert.deepEqual([full.status, full.code], [403, "DENIED"]);
    assert.match(full.text, /larger than 2500000 bytes \(registry\.max_app_size\)/);
    registry.clock.advance(2 * keepUnusedMs);
    await registry.clean();
    const manifest = await registry.pushManifest(app, "latest", " ".repeat(4_194_305));
    assert.deepEqual([manifest.status, manifest.code], [413, "SIZE_INVALID"]);
  });

  test("small files count, so that their number is limited", async () => {
    const many = "com.example.many";
    const manifest = manifestOf(await registry.pushBlob(many, "{}"));
    const statuses = new Set<number>();
    for (let n = 0; n < 40; n += 1) statuses.add((await registry.pushManifest(many, `tag-${n}`, manifest)).status);
    assert.deepEqual(statuses, new Set([201, 403]));
    const { tags } = JSON.parse((await registry.send(`/v2/${many}/tags/list`)).text);
    assert.ok(tags.length < limits.maxAppBytes / 65_536, `${tags.length} tags`);
    registry.clock.advance(2 * keepUnusedMs);
    await registry.clean();
  });

  test("invalid manifests are refused", async () => {
    const config = { digest };
    for (const [manifest, type] of [
      ["", undefined],
      ["[]", undefined],
      ["null", undefined],
      ["{", undefined],
      ["[".repeat(100_000), undefined],
      ['{"schemaVersion":1}', undefined],
      [JSON.stringify({ schemaVersion: 2, config }), undefined],
      [JSON.stringify({ schemaVersion: 2, config, layers: [null] }), undefined],
      [JSON.stringify({ schemaVersion: 2, config, layers: [{ digest: "sha256:../../../etc/passwd" }] }), undefined],
      [JSON.stringify({ schemaVersion: 2, config, layers: Array.from({ length: 1_025 }, () => config) }), undefined],
      [manifestOf(digest), "text/html"],
      [manifestOf(digest), "application/vnd.oci.image.index.v1+json"],
      [manifestOf(digest).replace("manifest.v1", "other.v1"), undefined],
    ] as const) {
      const { code } = await registry.pushManifest(app, "latest", manifest, type);
      assert.equal(code, "MANIFEST_INVALID", manifest.slice(0, 80));
    }
    const elsewhere = digestOf("elsewhere");
    assert.equal((await registry.pushManifest(app, "latest", manifestOf(elsewhere))).code, "MANIFEST_BLOB_UNKNOWN");
  });

  test("a manifest cannot refer to the blobs of another repository", async () => {
    const foreign = await registry.pushBlob("com.example.secret", "a secret layer");
    assert.equal((await registry.pushManifest(app, "latest", manifestOf(foreign))).code, "MANIFEST_BLOB_UNKNOWN");
    assert.equal((await registry.send(`/v2/${app}/blobs/${foreign}`)).status, 404);
  });

  test("the credential of a container engine pulls one app for an hour, and nothing else", async () => {
    const blob = await registry.pushBlob(app, "pulled");
    const path = `/v2/${app}/blobs/${blob}`;
    const engine = registry.engine(app);
    const as = (headers: Readonly<Record<string, string>>, method: string, target: string) =>
      registry.send(target, { method, headers }, "");
    assert.equal((await as(engine, "GET", "/v2/")).status, 200);
    assert.equal((await as(engine, "GET", path)).text, "pulled");
    for (const [method, target] of everyRoute.slice(1, 5)) assert.equal((await as(engine, method, target)).status, 403, target);
    assert.equal((await as(engine, "PUT", `/v2/${app}/manifests/latest`)).status, 403);
    assert.equal((await as(engine, "GET", `/v2/com.example.secret/tags/list`)).status, 403);
    const [, ticket = ""] = Buffer.from(String(engine["authorization"]).slice(6), "base64").toString().split(":");
    const [endsAt = "", mac = ""] = ticket.split(".");
    for (const [name, password] of [
      ["com.example.secret", ticket],
      [app, `${Number(endsAt) + 1}.${mac}`],
      [app, `${endsAt}.${"A".repeat(43)}`],
      [app, ""],
    ] as const)
      assert.equal((await as(basic(`appserver-engine+${name}`, password), "GET", "/v2/")).status, 401, password);
    registry.clock.advance(3_601_000);
    assert.equal((await as(engine, "GET", path)).status, 401);
  });

  test("one account has at most 32 unfinished uploads", async () => {
    const begin = () => registry.send(uploads, { method: "POST" }, "ci");
    const begun = await Promise.all(Array.from({ length: 8 }, begin));
    for (let n = 8; n < 32; n += 1) begun.push(await begin());
    assert.deepEqual(new Set(begun.map(({ status }) => status)), new Set([202]));
    const { status, code, headers } = await begin();
    assert.deepEqual([status, code, headers["retry-after"]], [429, "TOOMANYREQUESTS", "5"]);
    for (const { headers } of begun) await registry.send(String(headers.location), { method: "DELETE" }, "ci");
    assert.equal((await registry.send(uploads, { method: "POST" })).status, 202);
  });

  test("an upload whose body ends early keeps what has arrived, and two requests never add to one", async () => {
    const { headers } = await registry.send(uploads, { method: "POST" });
    const location = String(headers.location);
    const { hostname, port } = new URL(registry.url);
    const socket = connect(Number(port), hostname);
    const credentials = basic("any", "dora")["authorization"];
    socket.write(`PATCH ${location} HTTP/1.1\r\nhost: a\r\nauthorization: ${credentials}\r\ncontent-length: 10\r\n\r\nabcd`);
    const writing = join(registry.folder, "writing");
    await eventually(() => assert.equal(readdirSync(writing).length, 1));
    assert.equal((await registry.send(location, { method: "PATCH", body: "xxxx" })).code, "BLOB_UPLOAD_UNKNOWN");
    socket.destroy();
    await eventually(async () => assert.equal((await registry.send(location)).headers.range, "0-3"));
    const whole = digestOf("abcdef");
    assert.equal((await registry.send(`${location}?digest=${whole}`, { method: "PUT", body: "ef" })).status, 201);
  });

  test("a failure after the whole body is not hidden", async () => {
    const manifest = manifestOf(await registry.pushBlob(app, "{}"));
    registry.failsToRecord = true;
    await assert.rejects(registry.pushManifest(app, "failing", manifest), /socket hang up/);
    registry.failsToRecord = false;
    assert.match(String(registry.failures.shift()), /the database is unreachable/, "the listener responds to it");
  });

  test("two uploads of one blob at a time both succeed", async () => {
    const pushes = Array.from({ length: 8 }, () => registry.pushBlob(app, "pushed by several"));
    const [pushed = ""] = await Promise.all(pushes);
    assert.equal((await registry.send(`/v2/${app}/blobs/${pushed}`)).text, "pushed by several");
  });
});
