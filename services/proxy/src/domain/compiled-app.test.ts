import assert from "node:assert/strict";
import { test } from "node:test";
import { appApi } from "@appserver/contracts/manifest";
import type { RouteSpecSchema } from "@appserver/contracts/proto/appserver/v2/api";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { compileApp } from "./compiled-app.ts";

const name = "com.example.notes";

function compiled(routes: readonly MessageInitShape<typeof RouteSpecSchema>[]) {
  const api = {
    routes: [...routes],
    requiredPermissions: ["notes:read", "settings:read"],
    defaultRateLimit: { rpm: 60, burst: 5 },
  };
  return compileApp(
    {
      id: "1",
      name,
      version: "1.0.0",
      generation: 1,
      api: appApi(create(AppManifestSchema, { name, webApp: { api } })),
      upstream: { url: "http://127.0.0.1:1", managed: true },
    },
    { sessionCookieName: "identity_session", forwardSession: false, maxBodyBytes: 1_000 },
  );
}

test("scopes belong to the app, unless they are platform permissions", () => {
  const [route] = compiled([{ pattern: "/a", scopes: ["notes:read", "app:install"] }]).matcher.match("/a") ?? [];
  assert.deepEqual(route?.scopes, [
    { permission: "notes:read", owner: name },
    { permission: "app:install", owner: undefined },
  ]);
});

test("a limit is compiled to its windows", () => {
  assert.deepEqual(compiled([{ pattern: "/a" }]).matcher.match("/a")?.[0]?.limit?.windows, [
    { limit: 60, windowMs: 60_000 },
    { limit: 5, windowMs: 1_000 },
  ]);
});

test("without routes, everything below the base is allowed, with the API's permissions", () => {
  const route = compiled([]).matcher.match("/anything/at/all")?.[0];
  assert.deepEqual([route?.id, route?.methods, route?.isPublic, route?.scopes.length], [`${name}#0`, undefined, false, 2]);
});

test("a malformed scope or pattern does not compile", () => {
  assert.throws(() => compiled([{ pattern: "/a", scopes: ["notes"] }]), RangeError);
  assert.throws(() => compiled([{ pattern: "regex:(" }]), RangeError);
});
