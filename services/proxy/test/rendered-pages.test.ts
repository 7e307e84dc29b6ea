import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import { unlimitedRoute } from "@appserver/contracts/manifest";
import { type AppOptions, app, echo, route, TestProxy } from "./fakes.ts";

type TestContext = { after(fn: () => Promise<void>): void };

async function scene(t: TestContext, listener: RequestListener, options: Partial<AppOptions> = {}) {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  proxy.identity.sessions.set("ada-token", { userId: "ada", displayName: "Ada" });
  const url = await proxy.upstream(listener);
  await proxy.start(
    app({ url, api: { routes: [route("/open"), route("/admin", { isPublic: false, scopes: ["demo:admin"] })] }, ...options }),
  );
  return proxy;
}

const session = { headers: { cookie: "identity_session=ada-token" } };
const pages = { rendersPages: true };

test("a rendered page gets its whole path and its user, and needs a session", async (t) => {
  const proxy = await scene(t, echo, pages);
  assert.equal((await proxy.fetch("/apps/demo/page/reports")).status, 401);
  for (const path of ["/apps/demo/page", "/apps/demo/page/", "/apps/demo/page/reports?year=2026"]) {
    const { status, json } = await proxy.fetch(path, session);
    assert.deepEqual([status, json()["url"]], [200, path]);
    assert.equal((json()["headers"] as Record<string, string>)["x-user-id"], "ada");
  }
});

test("a page cannot be read as a route of the API, and is no way around the scopes of a route", async (t) => {
  const seen: (string | undefined)[] = [];
  const proxy = await scene(t, (request, response) => response.end(void seen.push(request.url)), pages);
  for (const path of [
    "/apps/demo/page/../admin",
    "/apps/demo/page/%2e%2e/admin",
    "/apps/demo/page//../../admin",
    "/apps/demo/page%2f..%2fadmin",
  ])
    assert.ok((await proxy.fetch(path, session)).status >= 400, path);
  assert.equal((await proxy.fetch("/api/apps/demo/admin", session)).status, 403);
  assert.equal((await proxy.fetch("/apps/demo/page/admin", session)).status, 200);
  assert.deepEqual(seen, ["/apps/demo/page/admin"]);
});

test("only GET and HEAD reach a page, and only of an app that renders pages", async (t) => {
  const proxy = await scene(t, echo, pages);
  for (const method of ["GET", "HEAD"])
    assert.equal((await proxy.fetch("/apps/demo/page", { ...session, method })).status, 200, method);
  const refused = await proxy.fetch("/apps/demo/page", { ...session, method: "POST", body: "x" });
  assert.deepEqual([refused.status, refused.headers.allow], [405, "GET, HEAD"]);
  assert.equal((await proxy.fetch("/apps/other/page", session)).status, 404);
  const plain = await scene(t, echo);
  const { status, json } = await plain.fetch("/apps/demo/page", session);
  assert.deepEqual([status, json()["code"]], [404, "NOT_FOUND"]);
});

test("an app can render pages and have no API", async (t) => {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  proxy.identity.sessions.set("ada-token", { userId: "ada", displayName: "Ada" });
  await proxy.start({ ...app({ url: await proxy.upstream(echo), rendersPages: true }), api: undefined });
  assert.equal((await proxy.fetch("/apps/demo/page/x", session)).status, 200);
  assert.equal((await proxy.fetch("/api/apps/demo/x", session)).status, 404);
  assert.equal((await proxy.fetch("/api/apps/demo", session)).status, 404);
});

test("a page needs what the API requires of its routes by default", async (t) => {
  const proxy = await scene(t, echo, {
    rendersPages: true,
    api: { everything: { ...unlimitedRoute("demo"), scopes: ["demo:read"] } },
  });
  const { status, json } = await proxy.fetch("/apps/demo/page", session);
  assert.deepEqual([status, (json()["details"] as Record<string, unknown>)["required_permission"]], [403, "demo:read"]);
});

test("a page may be framed by the platform alone, in a sandbox that it cannot widen", async (t) => {
  const own = "sandbox allow-same-origin";
  const html: RequestListener = (request, response) => {
    response.setHeader("content-type", "text/html");
    if (request.url?.endsWith("own") === true) response.setHeader("content-security-policy", own);
    response.end();
  };
  const proxy = await scene(t, html, pages);
  const policy = async (path: string) => (await proxy.fetch(path, session)).headers["content-security-policy"];
  const ours = "sandbox allow-scripts allow-forms";
  const files = "https://platform.example/apps/demo/";
  // No network but its own files and the styles for apps: no other site, no other app, and no `eval`.
  const content = `default-src 'none'; script-src ${files} 'unsafe-inline'; style-src ${files} https://platform.example/sdk/app.css 'unsafe-inline'; img-src ${files} data: blob:; font-src ${files} data:; media-src ${files} data: blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`;
  assert.equal(await policy("/apps/demo/page"), `${ours}, ${content}`);
  assert.equal(await policy("/apps/demo/page/own"), `${ours}, ${content}, ${own}`);
});
