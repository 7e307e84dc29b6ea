import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { KubernetesRuntime } from "@appserver/containers-kubernetes";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { kubernetesForTests, pushNodeImage } from "@appserver/testing/kit/kubernetes";
import { isHealthy, name, quickApp, usePlatforms, withPlatform } from "./real-platform.ts";

const source = `
import { createServer } from "node:http";
console.log("started on", process.env.HOSTNAME);
createServer((request, response) => {
  if (request.url === "/exit") process.exit(3);
  response.end();
}).listen(Number(process.env.PORT));
`;
const found = await kubernetesForTests();
const cluster = "unavailable" in found ? undefined : found;
const skip = "unavailable" in found ? found.unavailable : false;
const namespace = `apps-${randomBytes(4).toString("hex")}`;

describe("replicas of an app on Kubernetes", { skip }, () => {
  usePlatforms();
  before(async () => {
    await cluster?.makeNamespace(namespace);
    await pushNodeImage(`${cluster?.registry}/${name}:latest`, source);
  });
  after(async () => {
    await cluster?.removeNamespace(namespace);
    await cluster?.stop();
  });

  test("another number needs no other container; the record has the instances on both machines, and one that ended", async () => {
    const connection = cluster?.connection ?? assert.fail();
    const own = { namespace, connection, plainRegistries: [cluster?.registry ?? ""], pullSecrets: [], drainMs: 0 };
    const runtime = new KubernetesRuntime({ ...own, storageClass: undefined, clock: new SystemClock(), logger: silentLogger });
    await withPlatform(
      async (platform) => {
        platform.installed.set(name, quickApp());
        await platform.orchestrator();
        const { containerId } = await platform.until("healthy", isHealthy);
        const wanted = async (count: number): Promise<void> => {
          platform.installed.set(name, { ...quickApp(), replicas: { min: count, max: count } });
          await platform.announce("app.installed");
        };
        const ready = (count: number) =>
          platform.until(`${count} ready`, (seen) => {
            const instances = seen?.instances ?? [];
            return isHealthy(seen) && instances.length === count && instances.every((instance) => instance.ready);
          });
        await wanted(2);
        const { instances = [], containerId: sameId } = await ready(2);
        assert.equal(sameId, containerId);
        assert.equal(new Set(instances.map(({ place }) => place)).size, 2, "spread over the machines");

        const view = (await runtime.list({})).find(({ id }) => id === containerId);
        const address = view?.instances[0]?.address;
        await fetch(`http://${address}/exit`).catch(() => {});
        await platform.until("degraded", (seen) => seen?.degradedSince !== undefined);
        const recovered = await ready(2);
        const ended = recovered.instances?.find(({ id }) => id === view?.instances[0]?.id);
        assert.partialDeepStrictEqual(ended, { restarts: 1, lastEnd: { exitCode: 3, cause: "exit" } });
        await wanted(1);
        await ready(1);
        platform.installed.delete(name);
        await platform.announce("app.uninstalled");
        await platform.until("stopped", (seen) => seen?.state === "STOPPED");
      },
      { runtime, registry: cluster?.registry ?? "", endpoint: "network" },
    );
  });
});
