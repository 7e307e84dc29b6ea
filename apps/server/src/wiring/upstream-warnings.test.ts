import assert from "node:assert/strict";
import { test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AddressPolicy } from "@appserver/outbound-http";
import { create } from "@bufbuild/protobuf";
import { upstreamWarnings } from "./upstream-warnings.ts";

const policy = new AddressPolicy({ allow: ["10.0.0.0/8"], deny: [], allowLoopback: false });
const warningsOf = upstreamWarnings({ allowsAddress: (address) => policy.allows(address) });
const fieldsFor = (upstreamBaseUrl: string, openapiUrl = "/openapi.json") =>
  warningsOf(create(AppManifestSchema, { webApp: { api: { upstreamBaseUrl, openapiUrl } } })).map(({ field }) => field);

test("registration warns of an upstream at an address that the proxy would refuse", () => {
  for (const url of ["http://169.254.169.254", "http://127.0.0.1:3000", "http://[::1]:3000/x", "http://192.168.1.1"])
    assert.deepEqual(fieldsFor(url), ["web_app.api.upstream_base_url"], url);
  for (const url of ["http://10.1.2.3", "http://93.184.216.34", "https://app.example.com", ""])
    assert.deepEqual(fieldsFor(url), [], url);
});

test("registration warns of a document at such an address", () => {
  assert.deepEqual(fieldsFor("", "http://169.254.169.254/openapi.json"), ["web_app.api.openapi_url"]);
  assert.deepEqual(fieldsFor("", "https://docs.example.com/openapi.json"), []);
});
