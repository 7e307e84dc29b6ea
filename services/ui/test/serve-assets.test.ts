import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { isAppError, type RequestHead, silentLogger } from "@appserver/kernel";
import { FakeClock } from "@appserver/testing/kit";
import {
  type AppRef,
  type AssetRequest,
  type AssetResponse,
  assetUrl,
  type CorruptAsset,
  createUi,
  type StoredAsset,
  type Ui,
  type UiDeps,
} from "../src/index.ts";

const uiOptions = { cacheBytes: 100_000_000, cacheTtlMs: 300_000, unversionedCache: "immutable" } as const;
const script = Buffer.from("export const answer = 42; // and again\n".repeat(200));

function stored(contents: Uint8Array, change: Partial<StoredAsset> = {}): StoredAsset {
  const sha256 = createHash("sha256").update(contents).digest("hex");
  const base = { appName: "com.example.notes", appId: "0199", version: "1.0.0", name: "main.js", mimeType: "text/javascript" };
  return { ...base, contents, sha256, ...change };
}

interface Fixture {
  readonly ui: Ui;
  readonly clock: FakeClock;
  readonly corrupt: CorruptAsset[];
  asset: StoredAsset | undefined;
  failure: Error | undefined;
  /** If set, reads wait for this promise. */
  gate: Promise<void> | undefined;
  finds: number;
  get(request?: Partial<AssetRequest>): Promise<AssetResponse>;
}

function fixture(asset: StoredAsset | undefined, options: Partial<UiDeps> = {}): Fixture {
  const clock = new FakeClock();
  const corrupt: CorruptAsset[] = [];
  const find = async (app: AppRef, name: string): Promise<StoredAsset | undefined> => {
    state.finds += 1;
    const answer = state.asset;
    await state.gate;
    if (state.failure) throw state.failure;
    const known = answer && ("name" in app ? app.name === answer.appName : app.id === answer.appId) && name === answer.name;
    return known ? answer : undefined;
  };
  const ui = createUi({
    store: { find },
    rights: { mayActForOrigin: () => false },
    clock,
    logger: silentLogger,
    onCorruptAsset: (entry) => corrupt.push(entry),
    auditCorruptAsset: async () => {},
    ...uiOptions,
    ...options,
  });
  const state: Fixture = {
    ui,
    clock,
    corrupt,
    asset,
    failure: undefined,
    gate: undefined,
    finds: 0,
    get: async (request = {}) =>
      ui.serveAsset({ app: { name: "com.example.notes" }, assetName: asset?.name ?? "main.js", ...request }),
  };
  return state;
}

test("an asset has its response headers (docs/interface/assets.md#headers)", async () => {
  const { get } = fixture(stored(script));
  const { status, headers, length, body } = await get();
  assert.equal(status, 200);
  assert.deepEqual(Buffer.from(body ?? []), script);
  assert.equal(headers["x-subresource-integrity"], `sha256-${createHash("sha256").update(script).digest("base64")}`);
  assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
  assert.match(headers["etag"] ?? "", /^"[0-9a-f]{64}"$/);
  assert.equal(headers["vary"], "Accept-Encoding");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
  assert.equal(headers["content-type"], "text/javascript");
  assert.equal(length, script.length);
  assert.equal(headers["content-encoding"], undefined);
  assert.equal(headers["content-security-policy"], undefined);
});

test("each coding has its own bytes and tag, and the integrity of the raw bytes", async () => {
  const { get } = fixture(stored(script));
  const [plain, br, gzip] = await Promise.all([get(), get({ acceptEncoding: "gzip, br" }), get({ acceptEncoding: "gzip" })]);
  assert.equal(br.headers["content-encoding"], "br");
  assert.deepEqual(brotliDecompressSync(br.body ?? new Uint8Array()), script);
  assert.equal(gzip.headers["content-encoding"], "gzip");
  assert.deepEqual(gunzipSync(gzip.body ?? new Uint8Array()), script);
  assert.equal(br.length, br.body?.length);
  assert.equal(new Set([plain, br, gzip].map((response) => response.headers["etag"])).size, 3);
  assert.equal(new Set([plain, br, gzip].map((response) => response.headers["x-subresource-integrity"])).size, 1);
  assert.equal((await get({ acceptEncoding: "br" })).body, br.body, "compressed once");
});

test("an asset that does not get smaller, or is already compressed, is sent unchanged", async () => {
  const tiny = fixture(stored(Buffer.from("x")));
  assert.equal((await tiny.get({ acceptEncoding: "br" })).headers["content-encoding"], undefined);
  const image = fixture(stored(script, { name: "a.png", mimeType: "image/png" }));
  assert.equal((await image.get({ acceptEncoding: "br" })).headers["content-encoding"], undefined);
});

test("If-None-Match returns 304 for the representation that would be sent", async () => {
  const { get } = fixture(stored(script));
  const plain = (await get()).headers["etag"] ?? "";
  const unchanged = await get({ ifNoneMatch: `"other", W/${plain}` });
  assert.deepEqual([unchanged.status, unchanged.body], [304, undefined]);
  assert.equal(unchanged.headers["etag"], plain);
  assert.equal((await get({ ifNoneMatch: plain, acceptEncoding: "br" })).status, 200);
  assert.equal((await get({ ifNoneMatch: "*" })).status, 304);
});

test("If-Match that names another representation is 412, before every other condition", async () => {
  const { get } = fixture(stored(script));
  const etag = (await get()).headers["etag"] ?? "";
  for (const ifMatch of [etag, "*", `"other", ${etag}`]) assert.equal((await get({ ifMatch })).status, 200, ifMatch);
  for (const more of [{}, { range: "bytes=0-1" }, { ifNoneMatch: etag }, { headOnly: true }]) {
    const { status, headers, body } = await get({ ifMatch: '"other"', ...more });
    assert.deepEqual([status, headers["etag"], headers["cache-control"], body], [412, etag, "no-store", undefined]);
  }
  assert.equal((await get({ ifMatch: `W/${etag}` })).status, 412, "weak tags match none");
  assert.equal((await get({ ifMatch: etag, acceptEncoding: "br" })).status, 412, "each coding has its own tag");
  assert.equal((await get({ ifMatch: etag, ifNoneMatch: etag })).status, 304);
  assert.equal((await get({ ifMatch: etag, range: "bytes=0-1" })).status, 206);
});

test("HEAD has the headers of GET and no body", async () => {
  const { get } = fixture(stored(script));
  const head = await get({ headOnly: true, acceptEncoding: "gzip" });
  const full = await get({ acceptEncoding: "gzip" });
  assert.deepEqual([head.headers, head.length], [full.headers, full.length]);
  assert.equal(head.body, undefined);
});

test("a single range refers to the stored bytes", async () => {
  const { get } = fixture(stored(script));
  const part = await get({ range: "bytes=7-11", acceptEncoding: "br" });
  assert.equal(part.status, 206);
  assert.equal(Buffer.from(part.body ?? []).toString(), script.subarray(7, 12).toString());
  assert.equal(part.headers["content-range"], `bytes 7-11/${script.length}`);
  assert.equal(part.headers["content-encoding"], undefined);
  const beyond = await get({ range: `bytes=${script.length}-` });
  assert.deepEqual([beyond.status, beyond.headers["content-range"]], [416, `bytes */${script.length}`]);
  assert.equal((await get({ range: "bytes=0-1,3-4" })).status, 200);
  assert.equal((await get({ range: "bytes=0-1", ifRange: '"old"' })).status, 200);
  assert.equal((await get({ range: "bytes=0-1", ifRange: part.headers["etag"] ?? "" })).status, 206);
});

test("a page runs no script on the platform's origin", async () => {
  for (const mimeType of ["text/html", "image/svg+xml"]) {
    const { get } = fixture(stored(script, { mimeType }));
    assert.equal((await get()).headers["content-security-policy"], "sandbox");
  }
});

test("a page of an app with the permission page:origin is not sandboxed, and is revalidated each time", async () => {
  const asset = stored(script, { mimeType: "text/html" });
  const checked: string[] = [];
  const held = { value: true };
  const rights = { mayActForOrigin: async ({ name }: { name: string }) => checked.push(name) > 0 && held.value };
  const { get } = fixture(asset, { rights });
  const { headers } = await get({ version: asset.sha256.slice(0, 16) });
  assert.deepEqual([headers["content-security-policy"], headers["cache-control"]], [undefined, "public, no-cache"]);
  assert.deepEqual(checked, [asset.appName]);
  held.value = false;
  const unchanged = await get({ ifNoneMatch: headers["etag"] ?? "" });
  assert.deepEqual([unchanged.status, unchanged.headers["content-security-policy"]], [304, "sandbox"]);
});

test("the permission is not checked for an asset that runs no script when it is opened", async () => {
  const rights = {
    mayActForOrigin: () => {
      throw new Error("asked");
    },
  };
  const { get } = fixture(stored(script), { rights });
  assert.equal((await get()).headers["content-security-policy"], undefined);
});

test("a version that does not match is not found, and never cached as immutable", async () => {
  const asset = stored(script);
  const { get } = fixture(asset);
  assert.equal((await get({ version: asset.sha256.slice(0, 16) })).status, 200);
  for (const version of ["0".repeat(16), "", asset.sha256.slice(0, 4), `${asset.sha256}0`]) {
    await assert.rejects(get({ version }), (error) => isAppError(error, "NOT_FOUND"));
  }
});

test("with revalidate, only versioned URLs are immutable", async () => {
  const asset = stored(script);
  const { get } = fixture(asset, { unversionedCache: "revalidate" });
  assert.equal((await get()).headers["cache-control"], "public, no-cache");
  assert.match((await get({ version: asset.sha256.slice(0, 16) })).headers["cache-control"] ?? "", /immutable/);
});

test("altered bytes are reported and never served, on any request", async () => {
  const altered = Buffer.from(script);
  altered[3] = (altered[3] ?? 0) ^ 1;
  const { get, corrupt } = fixture(stored(script, { contents: altered }));
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await assert.rejects(get(), (error) => isAppError(error, "INTERNAL_ERROR"));
    assert.equal(corrupt.length, attempt);
  }
  assert.equal(corrupt[0]?.assetName, "main.js");
  assert.notEqual(corrupt[0]?.actualSha256, corrupt[0]?.expectedSha256);
});

test("the audit log gets an entry for altered bytes once an hour per version, and a failed entry is retried", async () => {
  const altered = { ...stored(script), contents: Buffer.from("other") };
  let isAway = true;
  const audited: CorruptAsset[] = [];
  const auditCorruptAsset = async (asset: CorruptAsset): Promise<void> => {
    if (isAway) throw new Error("the database is unreachable");
    audited.push(asset);
  };
  const state = fixture(altered, { auditCorruptAsset });
  const refused = () => assert.rejects(state.get(), (error) => isAppError(error, "INTERNAL_ERROR"));
  await refused();
  isAway = false;
  await refused();
  await refused();
  assert.deepEqual(
    audited.map(({ appName, version, assetName }) => [appName, version, assetName]),
    [["com.example.notes", "1.0.0", "main.js"]],
  );
  state.asset = { ...altered, version: "1.0.1" };
  await refused();
  assert.equal(audited.length, 2);
  await state.clock.advance(3_599_999);
  await refused();
  assert.equal(audited.length, 2);
  await state.clock.advance(1);
  await refused();
  assert.equal(audited.length, 3);
});

test("concurrent misses share one read, and both URL forms share one entry", async () => {
  const state = fixture(stored(script));
  await Promise.all([state.get(), state.get(), state.get()]);
  assert.equal(state.finds, 1);
  await state.get({ app: { id: "0199" } });
  assert.equal(state.finds, 1);
});

test("cached assets are served without the store, even after they expire", async () => {
  const state = fixture(stored(script), { cacheTtlMs: 1000 });
  await state.get();
  state.failure = new Error("database is unreachable");
  await state.clock.advance(5_000);
  assert.equal((await state.get()).status, 200);
  assert.equal((await state.get()).status, 200);
  await assert.rejects(state.get({ assetName: "other.js" }), /database is unreachable/);
});

test("an invalidated app is read again, and the result of an earlier read is not cached", async () => {
  const state = fixture(stored(script));
  let open = (): void => {};
  state.gate = new Promise((resolve) => {
    open = resolve;
  });
  const early = state.get();
  state.asset = stored(Buffer.from("new contents"));
  state.ui.invalidate("com.example.notes");
  open();
  assert.deepEqual(Buffer.from((await early).body ?? []), script);
  assert.equal(Buffer.from((await state.get()).body ?? []).toString(), "new contents");
  state.asset = undefined;
  state.ui.invalidate("com.example.notes");
  await assert.rejects(state.get(), (error) => isAppError(error, "NOT_FOUND"));
});

test("the URL of a new version works before the event of its installation arrives", async () => {
  const state = fixture(stored(script));
  await state.get();
  const upgraded = stored(Buffer.from("version two"));
  state.asset = upgraded;
  await state.clock.advance(2_000);
  assert.equal((await state.get({ version: upgraded.sha256.slice(0, 16) })).status, 200);
});

test("the cache does not exceed its size limit, including compressed forms", async () => {
  const contents = Buffer.alloc(40_000, "abcdefgh");
  const assets = new Map(["a", "b", "c"].map((name) => [name, stored(contents, { name })]));
  const ui = createUi({
    store: { find: async (_app, name) => assets.get(name) },
    rights: { mayActForOrigin: () => false },
    clock: new FakeClock(),
    logger: silentLogger,
    onCorruptAsset: () => {},
    auditCorruptAsset: async () => {},
    ...uiOptions,
    cacheBytes: 90_000,
  });
  for (const assetName of assets.keys()) {
    const before = ui.cachedBytes();
    await ui.serveAsset({ app: { name: "com.example.notes" }, assetName, acceptEncoding: "br" });
    assert.ok(ui.cachedBytes() <= 90_000);
    if (before === 0) assert.ok(ui.cachedBytes() > 41_024, "the compressed form counts");
  }
});

test("generated URLs name the release and escape each segment", () => {
  const url = assetUrl("com.example.notes", "d1", "js/a b#1.js");
  assert.equal(url, "/apps/com.example.notes/versions/d1/js/a%20b%231.js");
});

test("a page of a release that no longer serves is sandboxed, whatever the app may do", async () => {
  const page = stored(Buffer.from("<p>old</p>"), { mimeType: "text/html", name: "main.js", release: "d1", isFormer: true });
  const { ui } = fixture(page, { rights: { mayActForOrigin: () => true } });
  const { headers } = await ui.serveAsset({ app: { name: "com.example.notes", manifestDigest: "d1" }, assetName: "main.js" });
  assert.equal(headers["content-security-policy"], "sandbox");
});

test("each release has its own files in the cache, and they never expire in browsers", async () => {
  const releases = ["export const version = 1;", "export const version = 2;"].map((text, index) =>
    stored(Buffer.from(text), { release: `d${index + 1}` }),
  );
  const serving = stored(Buffer.from("export const version = 2;"));
  const find = async (app: AppRef): Promise<StoredAsset | undefined> => {
    const digest = "name" in app ? app.manifestDigest : undefined;
    return digest === undefined ? serving : releases.find(({ release }) => release === digest);
  };
  const { ui } = fixture(serving, { store: { find }, unversionedCache: "revalidate" });
  const get = async (manifestDigest?: string) => {
    const app = { name: "com.example.notes", ...(manifestDigest === undefined ? {} : { manifestDigest }) };
    const { body, headers } = await ui.serveAsset({ app, assetName: "main.js" });
    return [String(body), headers["cache-control"]];
  };
  const immutable = "public, max-age=31536000, immutable";
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(await get("d1"), ["export const version = 1;", immutable]);
    assert.deepEqual(await get("d2"), ["export const version = 2;", immutable]);
    assert.deepEqual(await get(), ["export const version = 2;", "public, no-cache"]);
  }
  await assert.rejects(get("d3"), (error) => isAppError(error, "NOT_FOUND"));
  // A release that is no longer kept is found missing after the app changed.
  releases.shift();
  ui.invalidate("com.example.notes");
  await assert.rejects(get("d1"), (error) => isAppError(error, "NOT_FOUND"));
});

test("the HTTP adapter reads method, version and conditional headers", async () => {
  const asset = stored(script);
  const { ui } = fixture(asset);
  const url = `/apps/com.example.notes/assets/main.js?v=${asset.sha256.slice(0, 16)}`;
  const request = head("HEAD", url, { "accept-encoding": "gzip" });
  const answer = await ui.http.handle(request, { name: asset.appName }, asset.name);
  assert.deepEqual([answer.status, answer.body, answer.headers["content-encoding"]], [200, undefined, "gzip"]);
  const stale = head("GET", `${url.slice(0, -16)}${"0".repeat(16)}`);
  await assert.rejects(
    async () => ui.http.handle(stale, { name: asset.appName }, asset.name),
    (error) => isAppError(error, "NOT_FOUND"),
  );
});

function head(method: string, target: string, headers: Readonly<Record<string, string>> = {}): RequestHead {
  const fields = Object.entries(headers).flat();
  return { method, target, httpVersion: "1.1", fields, header: (name) => headers[name], isEncrypted: false, peerAddress: "" };
}
