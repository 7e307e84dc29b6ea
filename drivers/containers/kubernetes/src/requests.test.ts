import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { KubernetesRuntime } from "./kubernetes-runtime.ts";
import { appPolicy, installationPolicy } from "./network-policies.ts";
import { annotations, appContainer, objectLabel } from "./objects.ts";

const count = 200;
const namespace = "apps";
const instance = "prod";
const rules = { platformNamespace: "platform" };
const apps = Array.from({ length: count }, (_, index) => {
  const labels = { [containerLabels.instance]: instance, [containerLabels.appId]: `${index}` };
  return { name: `app-${index}`, network: `prod-app-${index}`, labels };
});
const metadataOf = (name: string, labels: object, marks: object) => ({
  ...{ name, uid: name, resourceVersion: "1", creationTimestamp: "", labels },
  annotations: marks,
});
const template = { metadata: {}, spec: { containers: [{ name: appContainer, image: "app" }] } };
const collections: Readonly<Record<string, readonly object[]>> = {
  deployments: apps.map(({ name, labels }) => ({
    metadata: metadataOf(name, labels, {
      [annotations.container]: name,
      [annotations.isComplete]: "true",
      [annotations.startedAt]: "2026-01-01",
    }),
    spec: { replicas: 1, template },
  })),
  pods: apps.map(({ name }) => ({ metadata: metadataOf(`${name}-1`, { [objectLabel]: name }, {}), spec: { containers: [] } })),
  networkpolicies: [
    installationPolicy(instance, namespace, rules),
    ...apps.map(({ network, labels }) => appPolicy(network, labels, namespace)),
  ].map(({ metadata, spec }) => ({
    metadata: metadataOf(metadata.name, metadata.labels ?? {}, metadata.annotations ?? {}),
    spec,
  })),
};

/** An API server with the objects of 200 apps, which counts requests. */
const requests: string[] = [];
const server = createServer(({ method, url = "" }, response) => {
  const { pathname, searchParams } = new URL(url, "http://server");
  const kind = pathname.split("/").at(-1) ?? "";
  const isWatch = searchParams.has("watch");
  requests.push(`${isWatch ? "WATCH" : method} ${kind}`);
  if (isWatch) response.flushHeaders();
  else response.end(JSON.stringify({ metadata: { resourceVersion: "1" }, items: collections[kind] }));
}).listen(0, "127.0.0.1");
await once(server, "listening");
after(() => {
  server.closeAllConnections();
  server.close();
});

test("with 200 apps at rest there is one list and one watch for each kind, and no other request", async () => {
  const connection = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isUnverified: false };
  const own = { namespace, connection, plainRegistries: [], pullSecrets: [], storageClass: undefined, drainMs: 0, ...rules };
  const runtime = new KubernetesRuntime({ ...own, clock: new SystemClock(), logger: silentLogger });
  // What the orchestrator does at its start, and then again and again.
  for (let round = 0; round < 3; round += 1) {
    assert.equal((await runtime.list({ [containerLabels.instance]: instance })).length, count);
    assert.equal((await runtime.networks.list({ [containerLabels.instance]: instance })).length, count);
    await runtime.networks.connectGateways(instance);
    for (const { name, network, labels } of apps) {
      assert.equal((await runtime.inspect(name))?.instances.length, 1);
      await runtime.networks.ensure({ name: network, labels, pool: "" });
      await runtime.start(name);
    }
  }
  const expected = Object.keys(collections).flatMap((kind) => [`GET ${kind}`, `WATCH ${kind}`]);
  await eventually(() => requests.length >= expected.length);
  await runtime.close();
  assert.deepEqual(requests.toSorted(), expected.toSorted());
});
