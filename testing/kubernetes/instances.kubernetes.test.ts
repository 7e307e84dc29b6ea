import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@appserver/testing/kit";
import { SwitchedApp } from "../faults/switches/switched-app.ts";
import { contentsOf, inTurn, underLoad } from "../kit/under-load.ts";
import { ClusterPlatform, type ClusterServices, startClusterServices } from "./cluster-platform.ts";
import { InstancesApp } from "./instances-app.ts";

const services = await startClusterServices();
const skip = "unavailable" in services ? services.unavailable : false;

/** Fails if a request fails, in two ways: one that the proxy may repeat, and one that it must not. */
describe("the instances of an app on two machines, under load", { skip }, () => {
  let platform: ClusterPlatform;
  let app: SwitchedApp;
  const instances = new InstancesApp();
  before(async () => {
    platform = await ClusterPlatform.start(services as ClusterServices, { servers: 2, orchestrators: 2 });
    app = await SwitchedApp.install(platform, await instances.release("1.0.0"), "/instance");
  });
  after(() => platform?.stop());

  const load = () => ({
    calls: inTurn(platform.httpUrls, app.path("/instance")),
    slow: inTurn(platform.httpUrls, app.path("/slow"), "POST"),
  });
  /** Returns how many of 200 requests to one server each instance gets. */
  const shares = async (): Promise<readonly number[]> => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 200; n += 1) {
      const { instance } = JSON.parse(await contentsOf(`${platform.httpUrls[0]}${app.path("/instance")}`)) as {
        readonly instance: string;
      };
      counts.set(instance, (counts.get(instance) ?? 0) + 1);
    }
    return [...counts.values()];
  };
  const areSpread = async (): Promise<boolean> => (await shares()).length === 2;

  test("requests are spread over two instances, which are on two machines", async () => {
    await until("both are used", areSpread);
    for (const share of await shares()) assert.ok(share > 40, `${share} of 200`);
    assert.equal(new Set((await platform.pods()).map(({ node }) => node)).size, 2);
  });

  test("an upgrade and a rollback fail no request", async (t) => {
    await app.offer(await instances.release("1.1.0"));
    await underLoad(t, load(), async () => {
      await app.upgrade();
      await app.rollBack();
    });
    await until("both are used", areSpread);
  });

  test("of two instances one is deleted every ten seconds: no request fails", async (t) => {
    await underLoad(t, load(), async () => {
      for (let round = 0; round < 12; round += 1) {
        const [pod] = await platform.pods();
        await platform.cluster.client.call("DELETE", `/api/v1/namespaces/${platform.namespace}/pods/${pod?.name}`);
        await sleep(10_000);
      }
    });
  });

  test("a machine is emptied: no request fails", async (t) => {
    const { client } = platform.cluster;
    const [{ node = assert.fail("no machine") } = {}] = await platform.pods();
    t.after(() => platform.cluster.setSchedulable(node, true));
    await underLoad(t, load(), async () => {
      await platform.cluster.setSchedulable(node, false);
      const onIt = (await platform.pods()).filter((pod) => pod.node === node);
      for (const pod of onIt) {
        const metadata = { name: pod.name, namespace: platform.namespace };
        const body = { apiVersion: "policy/v1", kind: "Eviction", metadata };
        const evict = () =>
          client.call("POST", `/api/v1/namespaces/${platform.namespace}/pods/${pod.name}/eviction`, { body }).then(
            () => true,
            () => false,
          );
        await until(`${pod.name} may be evicted`, evict);
      }
      await until("both are elsewhere", async () => (await platform.pods()).every((pod) => pod.node !== node) && areSpread());
    });
  });
});
