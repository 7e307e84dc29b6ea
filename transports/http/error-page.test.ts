import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Echo, send, started } from "../test/http-listener-fixture.ts";
import type { HttpListener, UnservedPage } from "./index.ts";

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const policy =
  /^default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; style-src 'self'; img-src 'self'$/;

describe("pages of errors for browsers", () => {
  const scratch = mkdtempSync(join(tmpdir(), "appserver-errors-"));
  const unserved: Readonly<Record<string, UnservedPage>> = {
    "/new": { appName: "com.example.new", state: "starting" },
    "/broken": { appName: "com.example.broken", state: "failed" },
  };
  const pages = {
    covers: (path: string) => path === "/notes",
    unserved: (path: string) => unserved[path],
    originApps: () => [],
    mayReadLogs: ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => headers["cookie"] === "user=admin",
  };
  let listener: HttpListener;
  before(async () => {
    mkdirSync(join(scratch, "assets"));
    writeFileSync(join(scratch, "index.html"), "<title>Console</title>");
    const site = { path: "/console", folder: async () => scratch, policy: "default-src 'none'", isShell: true };
    const parts = { sites: [site], pages, proxy: new Echo(), rest: new Echo().rest, graphql: new Echo().graphql };
    listener = await started(parts);
  });
  after(async () => {
    await listener?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  test("an unknown address is a page, with a link that everyone may follow", async () => {
    for (const path of ["/nowhere", "/notes/%zz", "/playground/x", "/apps/com.example.none/assets/x.js/y"]) {
      const { status, headers, text } = await send(listener, path, { headers: browser });
      assert.equal(headers["content-type"], "text/html; charset=utf-8", path);
      assert.equal(status, path.includes("%zz") ? 400 : 404, path);
      assert.match(String(headers["content-security-policy"]), policy);
      assert.deepEqual(
        [headers["cache-control"], headers["x-frame-options"], headers["x-content-type-options"], headers["vary"]],
        ["no-store", "DENY", "nosniff", "Accept"],
      );
      assert.match(text, /<link rel="stylesheet" href="\/branding\/page\.css">/);
      assert.match(text, /<a href="\/">/);
      assert.doesNotMatch(text, /http-equiv/);
    }
    assert.match((await send(listener, "/nowhere", { headers: browser })).text, /<h1>There is no such page<\/h1>/);
    assert.equal((await send(listener, "/nowhere", { headers: browser, method: "HEAD" })).text, "");
  });

  test("every other client gets JSON", async () => {
    const others = [
      ["/nowhere", {}],
      ["/nowhere", { accept: "*/*" }],
      ["/nowhere", { accept: "application/json, text/html;q=0" }],
      ["/nowhere", { ...browser, "sec-fetch-dest": "script" }],
      ["/new", { accept: "*/*" }],
      ["/api/apps/com.example.notes/fail", browser],
      ["/api/v2/fail", browser],
      ["/graphql/fail", browser],
    ] as const;
    for (const [path, headers] of others) {
      const { status, text } = await send(listener, path, { headers });
      assert.ok(status >= 400, path);
      assert.equal(typeof JSON.parse(text).code, "string", path);
    }
    assert.equal(
      (await send(listener, "/nowhere", { headers: browser, method: "POST" })).headers["content-type"],
      "application/json; charset=utf-8",
    );
  });

  test("an app that starts has a page that loads itself again", async () => {
    const { status, headers, text } = await send(listener, "/new", { headers: browser });
    assert.deepEqual([status, headers["retry-after"]], [503, "2"]);
    assert.match(text, /<meta http-equiv="refresh" content="2">/);
    assert.match(text, /<h1>This app is starting<\/h1>/);
    assert.doesNotMatch(text, /com\.example/);
  });

  test("an app that failed leads to its logs, for those who may read them", async () => {
    const stranger = await send(listener, "/broken", { headers: browser });
    assert.equal(stranger.status, 503);
    assert.match(stranger.text, /<h1>This app did not start<\/h1>/);
    assert.doesNotMatch(stranger.text, /com\.example|http-equiv/);
    const admin = await send(listener, "/broken", { headers: { ...browser, cookie: "user=admin" } });
    assert.match(admin.text, /<a href="\/console\/apps\/com\.example\.broken\/logs">/);
    assert.equal((await send(listener, "/broken", { headers: { accept: "*/*" } })).status, 404);
  });

  test("what the message of an error quotes is text", async () => {
    const { text } = await send(listener, "/%3Cscript%3E", { headers: browser });
    assert.doesNotMatch(text, /<script/);
  });
});

test("a platform that starts has a page that loads itself again", async () => {
  const listener = await started({ startsEarly: true });
  const { status, headers, text } = await send(listener, "/graphqlx", { headers: browser });
  assert.equal(status, 404);
  const late = await send(listener, "/apps/com.example.notes/page", { headers: browser });
  assert.deepEqual([late.status, late.headers["retry-after"]], [503, "5"]);
  assert.match(late.text, /<meta http-equiv="refresh" content="5">/);
  assert.match(late.text, /<h1>The platform is starting<\/h1>/);
  assert.ok(headers["content-type"] && text);
  await listener.stop();
});
