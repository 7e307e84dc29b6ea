import assert from "node:assert/strict";
import { test } from "node:test";
import { compileApp } from "./compiled-app.ts";
import type { ProxiedApp, ProxiedRoute } from "./proxied-app.ts";

const listed = (pattern: string, more: Partial<ProxiedRoute> = {}): ProxiedRoute => ({
  id: `com.example.notes#${pattern}`,
  pattern,
  methods: ["GET"],
  scopes: [],
  isPublic: false,
  ...more,
});

function compiled(routes: readonly ProxiedRoute[]) {
  const app: ProxiedApp = {
    id: "1",
    name: "com.example.notes",
    version: "1.0.0",
    generation: 1,
    availability: "serving",
    api: {
      basePath: "/",
      stripBasePath: true,
      forwardHeaders: [],
      maxBodyBytes: 10 * 1024 * 1024,
      requiredPermissions: ["notes:read", "settings:read"],
      defaultRateLimit: { limit: 60, windowSeconds: 60, burst: 5 },
      routes,
    },
    upstream: { url: "http://127.0.0.1:1", managed: true },
  };
  return compileApp(app, { sessionCookieName: "identity_session", forwardSession: false });
}

test("scopes belong to the app, unless they are platform permissions", () => {
  const [route] = compiled([listed("/a", { scopes: ["notes:read", "app:install"] })]).matcher.match("/a") ?? [];
  assert.deepEqual(route?.scopes, [
    { permission: "notes:read", owner: "com.example.notes" },
    { permission: "app:install", owner: undefined },
  ]);
});

test("a route's scopes and limit override the API's", () => {
  const app = compiled([listed("/a"), listed("/b", { scopes: ["notes:write"], rateLimit: { limit: 5, windowSeconds: 60 } })]);
  const [a, b] = ["/a", "/b"].map((path) => app.matcher.match(path)?.[0]);
  assert.deepEqual(a?.scopes, [
    { permission: "notes:read", owner: "com.example.notes" },
    { permission: "settings:read", owner: undefined },
  ]);
  assert.deepEqual(a?.limit?.windows, [
    { limit: 60, windowMs: 60_000 },
    { limit: 5, windowMs: 1_000 },
  ]);
  assert.deepEqual(b?.scopes, [{ permission: "notes:write", owner: "com.example.notes" }]);
  assert.deepEqual(b?.limit?.windows, [{ limit: 5, windowMs: 60_000 }]);
});

test("the id of a route is the one that the platform gave it", () => {
  const app = compiled([listed("/a", { id: "com.example.notes#0" }), listed("/b", { id: "com.example.notes#1" })]);
  assert.equal(app.matcher.match("/b")?.[0]?.id, "com.example.notes#1");
});

test("without routes, everything below the base is allowed, with the API's permissions", () => {
  const route = compiled([]).matcher.match("/anything/at/all")?.[0];
  assert.deepEqual(
    [route?.id, route?.methods, route?.isPublic, route?.scopes.length],
    ["com.example.notes#0", undefined, false, 2],
  );
});

test("a malformed scope or pattern does not compile", () => {
  assert.throws(() => compiled([listed("/a", { scopes: ["notes"] })]), RangeError);
  assert.throws(() => compiled([listed("regex:(")]), RangeError);
});
