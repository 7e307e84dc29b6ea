import assert from "node:assert/strict";
import { test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { externalProbe, proxiedApi } from "./proxied-api.ts";

type Api = NonNullable<NonNullable<MessageInitShape<typeof AppManifestSchema>["webApp"]>["api"]>;

const converted = (api: Api) => proxiedApi(create(AppManifestSchema, { name: "com.example.x", webApp: { api } }));

test("the declared location of the API description is passed through", () => {
  const upstreamBaseUrl = "http://app-x:3000";
  assert.equal(converted({ upstreamBaseUrl, openapiUrl: "/openapi.json" })?.openapiUrl, "/openapi.json");
  assert.equal(converted({ upstreamBaseUrl })?.openapiUrl, undefined);
});

test("fields that a health check omits stay undefined, so that the operator's options decide for containers", () => {
  const healthCheck = converted({
    basePath: "/api",
    upstreamBaseUrl: "http://app-x:3000",
    healthCheck: { path: "/health" },
  })?.healthCheck;
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
