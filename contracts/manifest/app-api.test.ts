import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { AppManifestSchema } from "../generated/proto/appserver/v2/manifest_pb.js";
import { appApi, servedRoutes } from "./app-api.ts";

type Api = NonNullable<NonNullable<MessageInitShape<typeof AppManifestSchema>["webApp"]>["api"]>;

const name = "com.example.x";
const read = (api: Api) => {
  const found = appApi(create(AppManifestSchema, { name, webApp: { api } }));
  assert.ok(found);
  return found;
};
const counted = { burst: undefined, keyPattern: "caller" };

test("an API that declares little has the defaults, and one route for everything", () => {
  const { everything, ...api } = read({ upstreamBaseUrl: "http://app-x:3000", basePath: "/v1/" });
  assert.deepEqual(api, {
    basePath: `/api/apps/${name}/v1`,
    upstreamBaseUrl: "http://app-x:3000",
    openapiUrl: undefined,
    stripBasePath: true,
    forwardHeaders: [],
    maxBodyBytes: undefined,
    healthCheck: undefined,
    routes: [],
  });
  const route = { id: `${name}#0`, pattern: "/**", methods: ["*"], isPublic: false };
  assert.deepEqual(everything, { ...route, scopes: [], timeoutMs: 30_000, rateLimit: undefined });
  assert.deepEqual(servedRoutes({ ...api, everything }), [everything]);
});

test("a route has what it declares, in either form, and else what the API declares", () => {
  const { routes } = read({
    requiredPermissions: ["x:read"],
    timeoutMs: 1_000,
    defaultRateLimit: { rpm: 60, burst: 5 },
    routes: [
      { pattern: "/a" },
      { path: "/b", requiredPermissions: ["x:write"], timeoutMs: 5, rateLimit: { requests: 5, keyPattern: "global" } },
      { pattern: "/c", scopes: ["x:all"], requiredPermissions: ["x:write"], rateLimit: { burst: 2 } },
    ],
  });
  const common = { methods: [], isPublic: false };
  const perMinute = { limit: 60, windowSeconds: 60, burst: 5, keyPattern: "caller" };
  const twice = { ...counted, limit: 2, windowSeconds: 1 };
  const ofAll = { ...counted, limit: 5, windowSeconds: 60, keyPattern: "global" };
  assert.deepEqual(routes, [
    { ...common, id: `${name}#0`, pattern: "/a", scopes: ["x:read"], timeoutMs: 1_000, rateLimit: perMinute },
    { ...common, id: `${name}#1`, pattern: "/b", scopes: ["x:write"], timeoutMs: 5, rateLimit: ofAll },
    { ...common, id: `${name}#2`, pattern: "/c", scopes: ["x:all"], timeoutMs: 1_000, rateLimit: twice },
  ]);
});

test("fields that a health check omits stay undefined, so that the operator's options decide for containers", () => {
  const omitted = { intervalSeconds: undefined, timeoutMs: undefined, unhealthyThreshold: undefined };
  assert.deepEqual(read({ healthCheck: { path: "/health" } }).healthCheck, { path: "/health", ...omitted });
});
