import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, beforeEach, test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { ContainerError } from "@appserver/kernel/ports";
import { FakeClock } from "@appserver/testing/kit";
import { ContainerUse } from "./container-use.ts";
import { KubernetesClient } from "./kubernetes-client.ts";
import { annotations, appContainer, type Deployment, objectLabel, type Pod } from "./objects.ts";

const metadataOf = (name: string) => ({ name, uid: name, resourceVersion: "1", creationTimestamp: "" });
const container = { name: appContainer, image: "app", resources: { limits: { memory: "256Mi" } } };
const deploymentOf = (name: string, replicas = 1, startedAt = "then"): Deployment => ({
  metadata: { ...metadataOf(name), annotations: { [annotations.startedAt]: startedAt } },
  spec: { replicas, template: { metadata: {}, spec: { containers: [container] } } },
});
const podOf = (name: string, object: string): Pod => ({
  metadata: { ...metadataOf(name), labels: { [objectLabel]: object } },
  spec: { containers: [container] },
});
/** What a pod used in the ten seconds before a second of the day, with another container next to it. */
const measured = (name: string, second: number, cpu: string, memory = "64Mi") => ({
  metadata: { name },
  timestamp: new Date(second * 1_000).toISOString(),
  window: "10s",
  containers: [
    { name: "other", usage: { cpu: "9", memory: "9Gi" } },
    { name: appContainer, usage: { cpu, memory } },
  ],
});

let lists = 0;
let status = 200;
let items: readonly object[] = [];
let isSilent = false;
const server = createServer((request, response) => {
  lists += 1;
  assert.match(request.url ?? "", /^\/apis\/metrics\.k8s\.io\/v1beta1\/namespaces\/apps\/pods\?labelSelector=/);
  if (isSilent) return;
  response.statusCode = status;
  response.end(JSON.stringify({ items }));
}).listen(0, "127.0.0.1");
await once(server, "listening");

let clock = new FakeClock();
let deployments: readonly Deployment[] = [];
let pods: readonly Pod[] = [];
const connection = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isUnverified: false };
const client = new KubernetesClient(connection, clock);
const containers = {
  all: async () => deployments,
  named: async (name: string) => deployments.find(({ metadata }) => metadata.name === name),
  podsOf: async ({ metadata }: Deployment) => pods.filter((pod) => pod.metadata.labels?.[objectLabel] === metadata.name),
};
const use = () => new ContainerUse({ client, clock, logger: silentLogger, namespace: "apps", containers });
after(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  clock = new FakeClock();
  [lists, status, isSilent] = [0, 200, false];
  deployments = [deploymentOf("one", 2)];
  pods = [podOf("one-a", "one"), podOf("one-b", "one")];
});

const mebibyte = 1_024 ** 2;

test("the statistics of an app are the sums over its pods, without what is next to it in a pod", async () => {
  items = [measured("one-a", 100, "500m"), measured("one-b", 100, "250000000n", "32Mi"), measured("unknown", 100, "4")];
  assert.deepEqual(await use().of("one"), {
    memoryBytes: 96 * mebibyte,
    memoryLimitBytes: 512 * mebibyte,
    cpuSeconds: 7.5,
  });
});

test("processor time adds up, counts each measurement once, and does not decrease when a pod ends", async () => {
  const measuring = use();
  const next = async (seconds: number, ...now: readonly object[]): Promise<number | undefined> => {
    items = now;
    await clock.advance(seconds * 1_000);
    return (await measuring.of("one"))?.cpuSeconds;
  };
  assert.equal(await next(0, measured("one-a", 100, "1"), measured("one-b", 100, "1")), 20);
  assert.equal(await next(5, measured("one-a", 100, "1"), measured("one-b", 100, "1")), 20);
  // One measurement was missed: the next one stands for it.
  assert.equal(await next(20, measured("one-a", 120, "500m"), measured("one-b", 110, "1")), 40);
  pods = [podOf("one-a", "one")];
  assert.equal(await next(10, measured("one-a", 130, "1")), 50);
  // An hour without measurements is not counted as if the app had been busy all the time.
  assert.equal(await next(3_600, measured("one-a", 3_730, "1")), 110);
  // A new start begins at 0.
  deployments = [deploymentOf("one", 2, "later")];
  assert.equal(await next(10, measured("one-a", 3_740, "1")), 10);
});

test("one list serves 200 apps, and is made again after some seconds", async () => {
  const names = Array.from({ length: 200 }, (_, index) => `app-${index}`);
  deployments = names.map((name) => deploymentOf(name));
  pods = names.map((name) => podOf(`${name}-1`, name));
  items = names.map((name) => measured(`${name}-1`, 100, "1"));
  const measuring = use();
  const all = await Promise.all(names.map((name) => measuring.of(name)));
  assert.ok(all.every((stats) => stats?.cpuSeconds === 10));
  await measuring.of("app-0");
  assert.equal(lists, 1);
  await clock.advance(15_000);
  await measuring.of("app-0");
  assert.equal(lists, 2);
});

test("what does not run and what is not measured has none; a stopped app costs no list", async () => {
  deployments = [deploymentOf("one", 0), deploymentOf("new")];
  items = [];
  const measuring = use();
  assert.equal(await measuring.of("one"), undefined);
  assert.equal(await measuring.of("unknown"), undefined);
  assert.equal(lists, 0);
  assert.equal(await measuring.of("new"), undefined);
});

for (const absent of [403, 404, 503])
  test(`a cluster without the API (${absent}) has no statistics, and is asked again after a minute`, async () => {
    status = absent;
    const measuring = use();
    assert.equal(await measuring.of("one"), undefined);
    await clock.advance(59_000);
    assert.equal(await measuring.of("one"), undefined);
    assert.equal(lists, 1);
    [status, items] = [200, [measured("one-a", 100, "1")]];
    await clock.advance(2_000);
    assert.equal((await measuring.of("one"))?.cpuSeconds, 10);
  });

test("a failure of the API server rejects for all who ask in the next seconds; one that gives up rejects with its reason", async () => {
  status = 500;
  const measuring = use();
  await assert.rejects(measuring.of("one"), ContainerError);
  await assert.rejects(measuring.of("one"), ContainerError);
  assert.equal(lists, 1);
  isSilent = true;
  const reason = new Error("given up");
  const controller = new AbortController();
  const asked = use().of("one", controller.signal);
  setImmediate(() => controller.abort(reason));
  await assert.rejects(asked, reason);
});
