import assert from "node:assert/strict";
import { test } from "node:test";
import { type LiveApp, upstreamOf } from "./live-app.ts";

const target = { generation: 4, strategy: "replace", holdsRequests: true };
const buffered = { unavailable: "upgrading", isBuffered: true };
const container = { needsContainer: true, api: "container" };
const external = { needsContainer: true, api: "external" };
const api = { upstreamBaseUrl: "https://notes.example.com:8443/base" };

const upstream = (placement: object, declared: object | undefined, changes: object = {}) => {
  const app = { state: "RUNNING", enabled: true, endpoint: "http://172.17.0.2:3000", ...changes };
  return upstreamOf({ app, api: declared, placement } as unknown as LiveApp);
};

test("requests go to the address of the container with the path of the manifest, or to the declared backend", () => {
  assert.deepEqual(upstream(container, api), { url: "http://172.17.0.2:3000/base", managed: true });
  assert.deepEqual(upstream({ ...container, api: "none" }, undefined), { url: "http://172.17.0.2:3000/", managed: true });
  assert.deepEqual(upstream(external, api), { url: api.upstreamBaseUrl, managed: false });
  assert.deepEqual(upstream(container, api, { endpoint: undefined }), { unavailable: "starting" });
});

test("requests wait while the container that they go to is replaced", () => {
  assert.deepEqual(upstream(container, api, { target }), buffered);
  assert.deepEqual(upstream(container, api, { requestsBufferedSince: new Date() }), buffered);
  assert.equal("url" in upstream(container, api, { target: { ...target, holdsRequests: undefined } }), true);
  assert.equal("url" in upstream(external, api, { target }), true);
});
