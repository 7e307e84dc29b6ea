import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { AppError } from "@appserver/kernel";
import { send, started } from "../test/http-listener-fixture.ts";
import type { HttpListener } from "./index.ts";

describe("sites", () => {
  const scratch = mkdtempSync(join(tmpdir(), "appserver-site-"));
  const policy = "default-src 'none'; script-src 'self'";
  let listener: HttpListener;
  before(async () => {
    const root = join(scratch, "dist");
    mkdirSync(join(root, "assets"), { recursive: true });
    writeFileSync(join(scratch, "secret.txt"), "secret");
    writeFileSync(join(root, "index.html"), "<!doctype html>");
    writeFileSync(join(root, "assets", "app-1a2b.js"), "export {}");
    writeFileSync(join(root, ".inputs"), "hidden");
    writeFileSync(join(root, "llms.txt"), "pages");
    mkdirSync(join(root, "guides"));
    writeFileSync(join(root, "guides", "index.html"), "the first guide");
    writeFileSync(join(root, "guides", "tls.html"), "a guide");
    const missing = new AppError("SERVICE_UNAVAILABLE", "the page is not built");
    listener = await started({
      sites: [
        {
          path: "/playground",
          folder: async () => root,
          policy,
          atRoot: ["llms.txt"],
          listed: { path: "/playground/", text: "is tried" },
        },
        { path: "/sdk", folder: async () => "/proc/self", policy },
        { path: "/docs", folder: () => Promise.reject(missing), policy },
      ],
    });
  });
  after(async () => {
    await listener?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  test("the first page is checked at each visit, its files are kept by browsers, and both have the policy", async () => {
    assert.equal((await send(listener, "/playground")).headers.location, "/playground/");
    const page = await send(listener, "/playground/?query=x");
    assert.deepEqual([page.status, page.text], [200, "<!doctype html>"]);
    assert.deepEqual([page.headers["cache-control"], page.headers["content-security-policy"]], ["no-cache", policy]);
    const script = await send(listener, "/playground/assets/app-1a2b.js");
    assert.equal(script.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.match(script.headers["content-type"] ?? "", /javascript/);
    const { etag = "" } = page.headers;
    assert.equal((await send(listener, "/playground/", { headers: { "if-none-match": etag } })).status, 304);
    assert.deepEqual((await send(listener, "/playground/", { method: "HEAD" })).text, "");
  });

  test("a file of another version is 412, and a range beyond its end 416", async () => {
    for (const [name, value, expected] of [
      ["if-match", '"other"', 412],
      ["range", "bytes=100-", 416],
    ] as const) {
      const { status, headers, text } = await send(listener, "/playground/assets/app-1a2b.js", { headers: { [name]: value } });
      assert.deepEqual([status, text, headers["cache-control"]], [expected, "", "no-store"]);
      assert.equal(headers["content-range"], expected === 416 ? "bytes */9" : undefined);
    }
  });

  test("pages have no ending in their paths, and a folder leads to its first page", async () => {
    assert.equal((await send(listener, "/playground/guides/tls")).text, "a guide");
    const folder = await send(listener, "/playground/guides");
    assert.deepEqual([folder.status, folder.headers.location], [308, "/playground/guides/"]);
    assert.equal((await send(listener, "/playground/guides/")).text, "the first guide");
  });

  test("files for the root are there, and no other file is", async () => {
    const { status, text, headers } = await send(listener, "/llms.txt");
    assert.deepEqual([status, text, headers["content-type"]], [200, "pages", "text/plain; charset=utf-8"]);
    assert.equal((await send(listener, "/guides/tls")).status, 404);
  });

  test("a file that cannot be read ends its response, and nothing else", {
    skip: process.platform === "linux" ? false : "needs /proc",
  }, async () => {
    // A regular file, whose first byte no process can read.
    await assert.rejects(send(listener, "/sdk/mem"));
    assert.equal((await send(listener, "/playground/")).status, 200);
  });

  test("nothing outside of the folder, no hidden file and no folder is served", async () => {
    for (const path of [
      "../secret.txt",
      "%2e%2e/secret.txt",
      "..%2fsecret.txt",
      ".inputs",
      "assets",
      "none.js",
      "assets/%00",
    ]) {
      const { status, text } = await send(listener, `/playground/${path}`);
      assert.ok(status === 404 || status === 400, `${path}: ${status}`);
      assert.doesNotMatch(text, /secret$|hidden/);
    }
  });

  test("other methods are refused, and a site that is not built says so", async () => {
    const { status, headers } = await send(listener, "/playground/", { method: "POST" });
    assert.deepEqual([status, headers.allow], [405, "GET, HEAD"]);
    const unbuilt = await send(listener, "/docs/");
    assert.deepEqual([unbuilt.status, JSON.parse(unbuilt.text).error], [503, "the page is not built"]);
    assert.match((await send(listener, "/")).text, /href="\/playground\/">\/playground\/<\/a> – is tried/);
  });
});
