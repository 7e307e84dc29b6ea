import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, until } from "@appserver/testing/kit";
import { SwitchedApp } from "../faults/switches/switched-app.ts";
import { ClusterPlatform, type ClusterServices, startClusterServices } from "./cluster-platform.ts";
import { InstancesApp } from "./instances-app.ts";

const services = await startClusterServices();
const skip = "unavailable" in services ? services.unavailable : false;
const rounds = 2;

interface Deployment {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly replicas: number };
}

/** What an installed app has in the namespace, once nothing changes any more. */
const atRest = { deployments: 1, services: 1, secrets: 2, poddisruptionbudgets: 1, replicasets: 1 };
const groups: Readonly<Record<keyof typeof atRest, string>> = {
  deployments: "/apis/apps/v1",
  services: "/api/v1",
  secrets: "/api/v1",
  poddisruptionbudgets: "/apis/policy/v1",
  replicasets: "/apis/apps/v1",
};

describe("two orchestrators, of which one is killed at each step of an upgrade", { skip }, () => {
  const app = new InstancesApp();
  let platform: ClusterPlatform;
  let installed: SwitchedApp;
  before(async () => {
    platform = await ClusterPlatform.start(services as ClusterServices, { servers: 1, orchestrators: 2 });
    installed = await SwitchedApp.install(platform, await app.release("1.0.0"), "/instance");
  });
  after(() => platform?.stop());

  const list = async <T>(kind: keyof typeof atRest): Promise<readonly T[]> => {
    const path = `${groups[kind]}/namespaces/${platform.namespace}/${kind}`;
    return (await platform.cluster.client.call<{ readonly items: readonly T[] }>("GET", path)).items;
  };
  const counts = async (): Promise<object> => {
    const found = Object.keys(groups).map(async (kind) => [kind, (await list(kind as keyof typeof atRest)).length]);
    return Object.fromEntries(await Promise.all(found)) as object;
  };
  /** The moments at which an orchestrator is killed: the other generation exists and has not been started, runs, or is alone. */
  const moments: Readonly<Record<string, (found: readonly Deployment[]) => boolean>> = {
    "between create and start": (found) => found.length === 2 && found.some(({ spec }) => spec.replicas === 0),
    "between the generations": (found) => found.length === 2 && found.every(({ spec }) => spec.replicas > 0),
  };

  for (const [moment, isNow] of Object.entries(moments))
    test(`${moment}: each app has one Deployment at rest, and nothing is left`, async () => {
      for (let round = 0; round < rounds; round += 1) {
        const killed = platform.orchestrator(round % 2);
        const version = `1.${Object.keys(moments).indexOf(moment)}.${round + 1}`;
        await installed.offer(await app.release(version));
        const upgrading = installed.upgrade();
        const look = async (): Promise<boolean> => isNow(await list<Deployment>("deployments"));
        await eventually(look, (isSo) => isSo, { timeoutMs: 60_000, intervalMs: 10, what: moment });
        await killed.kill();
        killed.start();
        await upgrading;
        assert.equal((await installed.view()).version, version);
        await until("at rest", async () => {
          assert.deepEqual(await counts(), atRest);
          return true;
        });
      }
    });
});
