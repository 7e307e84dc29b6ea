import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import { scopeObject } from "@appserver/contracts/authorization";
import type { AppRoute } from "@appserver/contracts/manifest";
import { app, route, TestProxy } from "./fakes.ts";

type TestContext = { after(fn: () => Promise<void>): void };

/** Servers with different ways to read paths: like nginx, Express, Tomcat, and all of them combined. */
const servers: Readonly<Record<string, (path: string) => string>> = {
  exact: (path) => path,
  nginx: (path) => path.replace(/\/{2,}/g, "/"),
  express: (path) => path.toLowerCase().replace(/(?<=.)\/$/, ""),
  tomcat: (path) => path.replace(/;[^/]*/g, "").replace(/\/{2,}/g, "/"),
  all: (path) =>
    path
      .toLowerCase()
      .replace(/;[^/]*/g, "")
      .replace(/\/{2,}/g, "/")
      .replace(/(?<=.)\/$/, ""),
};

async function scene(
  t: TestContext,
  read: (path: string) => string,
  { routes = manifest, granted = [] }: { readonly routes?: readonly AppRoute[]; readonly granted?: readonly string[] } = {},
): Promise<TestProxy> {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  const serve: RequestListener = (request, response) => response.end(read(request.url ?? ""));
  await proxy.start(app({ url: await proxy.upstream(serve), api: { routes } }));
  proxy.identity.sessions.set("s1", { userId: "alice", displayName: "Alice" });
  for (const scope of granted) proxy.authorization.grant("user:alice", scopeObject(scope, "demo"));
  return proxy;
}

const isProtected = { isPublic: false, scopes: ["admin:all"] } as const;
const manifest = [
  route("/**", { methods: ["GET", "POST"] }),
  route("/admin", isProtected),
  route("/admin/**", isProtected),
  route("/Reports", isProtected),
  route("/users/me", isProtected),
  route("/users/*"),
];
const regexes = [route("regex:/raw/[a-z]+", isProtected), route("regex:/.*")];
const secret = /^\/(?:admin(?:\/.*)?|reports|users\/me|raw\/[a-z]+)$/i;

const attempts = [
  ...[
    "//admin",
    "/admin/",
    "/admin//",
    "/admin;x",
    "/admin;x/",
    "/ADMIN",
    "/Admin;x=1",
    "//ADMIN;a//",
    "/;x/admin",
    "/x;y/..;/admin",
  ],
  ...["/admin;/secret", "//admin/secret", "/ADMIN/secret", "/admin%3bx", "/reports", "/reports/", "/REPORTS;x", "//reports"],
  ...[
    "/users/ME",
    "/users/me/",
    "/users/me;x",
    "/users//me",
    "/raw/abc/",
    "/raw/abc;x",
    "//raw//abc",
    "/RAW/abc",
    "/raw;x/abc",
  ],
];

for (const [name, read] of Object.entries(servers)) {
  test(`an anonymous caller gets no protected page from a server that reads paths like ${name}`, async (t) => {
    const reached: string[] = [];
    for (const routes of [manifest, regexes]) {
      const proxy = await scene(t, read, { routes });
      for (const path of attempts.filter((attempt) => /raw/i.test(attempt) === (routes === regexes))) {
        const { status, body } = await proxy.fetch(`/api/apps/demo${path}`);
        if (status === 200 && secret.test(body) && read(path) !== path) reached.push(path);
      }
    }
    assert.deepEqual(reached, []);
  });
}

test("public pages stay public, and a caller with the permission is accepted with every spelling", async (t) => {
  const proxy = await scene(t, (path) => path);
  const open = ["/", "/x", "/x/", "//x", "/x;v=1", "/X", "/users/bob", "/administration", "/a//b;c/D/"];
  for (const path of open) assert.equal((await proxy.fetch(`/api/apps/demo${path}`)).status, 200, path);
  for (const path of ["/admin/", "//admin", "/ADMIN;x"]) {
    const init = { headers: { cookie: "identity_session=s1" } };
    assert.equal((await proxy.fetch(`/api/apps/demo${path}`)).status, 401, path);
    assert.equal((await proxy.fetch(`/api/apps/demo${path}`, init)).status, 403, path);
  }
  const allowed = await scene(t, (path) => path, { granted: ["admin:all"] });
  for (const path of ["/admin/", "//admin", "/ADMIN;x"]) {
    const init = { headers: { cookie: "identity_session=s1" } };
    assert.equal((await allowed.fetch(`/api/apps/demo${path}`, init)).status, 200, path);
  }
});

test("a very long path has no other interpretations: it is refused if it is unusual", async (t) => {
  const proxy = await scene(t, (path) => String(path.length));
  const long = "/a".repeat(5_000);
  assert.equal((await proxy.fetch(`/api/apps/demo${long}`)).status, 200);
  for (const path of [`${long};x`, `${long}//x`, `/${long}`, `${long}/`])
    assert.equal((await proxy.fetch(`/api/apps/demo${path}`)).status, 400);
});

test("a method that the stricter interpretation does not allow is refused", async (t) => {
  const proxy = await scene(t, (path) => path);
  assert.equal((await proxy.fetch("/api/apps/demo/x", { method: "POST" })).status, 200);
  assert.equal((await proxy.fetch("/api/apps/demo//admin", { method: "POST" })).status, 400);
});

test("if interpretations have different scopes, all of them are required", async (t) => {
  const routes = [route("/**", { isPublic: false, scopes: ["notes:read"] }), route("/admin", isProtected)];
  const proxy = await scene(t, (path) => path, { routes, granted: ["notes:read"] });
  const status = async (path: string) =>
    (await proxy.fetch(`/api/apps/demo${path}`, { headers: { cookie: "identity_session=s1" } })).status;
  assert.deepEqual(
    [await status("/x"), await status("//x"), await status("//admin"), await status("/ADMIN")],
    [200, 200, 403, 403],
  );
});

test("the base itself is forwarded without adding a slash", async (t) => {
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  const url = await proxy.upstream((request, response) => response.end(request.url));
  const api = { basePath: "/route", routes: [route("/**")] };
  await proxy.start(
    app({ name: "deep", url: `${url}/service`, api }),
    app({ name: "slash", url: `${url}/service/`, api }),
    app({ name: "root", url, api }),
    app({ name: "whole", url, api: { ...api, stripBasePath: false } }),
  );
  const seen = async (path: string) => (await proxy.fetch(`/api/apps/${path}`)).body;
  assert.equal(await seen("deep/route"), "/service");
  assert.equal(await seen("deep/route/"), "/service/");
  assert.equal(await seen("deep/route?a=b"), "/service?a=b");
  assert.equal(await seen("deep/route/x"), "/service/x");
  assert.equal(await seen("slash/route"), "/service/");
  assert.equal(await seen("root/route?a"), "/?a");
  assert.equal(await seen("whole/route"), "/api/apps/whole/route");
});
