import assert from "node:assert/strict";
import { test } from "node:test";
import { WebApiSchema } from "@appserver/contracts/proto/appserver/v2/api";
import { create } from "@bufbuild/protobuf";
import { externalProbe, proxiedApi } from "./proxied-api.ts";

test("the declared location of the API description is passed through", () => {
  const api = create(WebApiSchema, { upstreamBaseUrl: "http://app-x:3000", openapiUrl: "/openapi.json" });
  assert.equal(proxiedApi("com.example.x", api).openapiUrl, "/openapi.json");
  assert.equal(proxiedApi("com.example.x", create(WebApiSchema, {})).openapiUrl, undefined);
});

test("fields that a health check omits stay undefined, so that the operator's options decide for containers", () => {
  const api = create(WebApiSchema, {
    basePath: "/api",
    upstreamBaseUrl: "http://app-x:3000",
    healthCheck: { path: "/health" },
  });
  const { healthCheck } = proxiedApi("com.example.x", api);
  assert.deepEqual(healthCheck, {
    path: "/health",
    intervalSeconds: undefined,
    timeoutMs: undefined,
    unhealthyThreshold: undefined,
  });
  assert.deepEqual(healthCheck && externalProbe(healthCheck), {
    path: "/health",
    intervalSeconds: 30,
    timeoutMs: 5_000,
    unhealthyThreshold: 3,
  });
});
