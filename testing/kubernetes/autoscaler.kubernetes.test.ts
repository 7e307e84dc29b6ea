import assert from "node:assert/strict";
import { test } from "node:test";
import { send, until } from "@appserver/testing/kit";
import { SwitchedApp } from "../faults/switches/switched-app.ts";
import { ClusterPlatform, startClusterServices } from "./cluster-platform.ts";
import { InstancesApp } from "./instances-app.ts";

const services = await startClusterServices();
const callers = 8;
/** The autoscaler acts on measurements that are up to half a minute old. */
const scaleMs = 180_000;

/** By default it takes no instance away for five minutes after it needed it. */
async function shortenStabilization({ cluster, namespace }: ClusterPlatform): Promise<void> {
  const path = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
  type Autoscalers = { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
  const { items } = await cluster.client.call<Autoscalers>("GET", path);
  const [{ metadata } = assert.fail("no autoscaler"), ...others] = items;
  assert.deepEqual(others, []);
  const body = { spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 5 } } } };
  await cluster.client.call("PATCH", `${path}/${metadata.name}`, { contentType: "application/merge-patch+json", body });
}

test("a busy app gets another instance, and loses it when it is idle; the orchestrator leaves both alone", {
  skip: "unavailable" in services ? services.unavailable : false,
}, async (t) => {
  if ("unavailable" in services) return;
  const platform = await ClusterPlatform.start(services, { servers: 1, orchestrators: 1 });
  t.after(() => platform.stop());
  const release = await new InstancesApp({ min: 1, max: 2, cpu_percent: 50 }).release("1.0.0");
  const app = await SwitchedApp.install(platform, release, "/instance");
  const count = async (): Promise<number> => (await platform.running()).length;
  assert.equal(await count(), 1);
  await shortenStabilization(platform);

  const stopping = new AbortController();
  const call = async (): Promise<void> => {
    while (!stopping.signal.aborted) await send(platform.httpUrls[0] ?? "", app.path("/instance")).catch(() => {});
  };
  const calls = Array.from({ length: callers }, call);
  try {
    await until("a busy app has two instances", async () => (await count()) === 2, scaleMs);
  } finally {
    stopping.abort();
    await Promise.all(calls);
  }
  await until("an idle app has one instance", async () => (await count()) === 1, scaleMs);
});
