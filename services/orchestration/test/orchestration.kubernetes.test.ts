import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { KubernetesRuntime } from "@appserver/containers-kubernetes";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { eventually } from "@appserver/testing/kit";
import { kubernetesForTests, pushNodeImage } from "@appserver/testing/kit/kubernetes";
import { fresh, isHealthy, name, type Platform, quickApp, usePlatforms, withPlatform } from "./real-platform.ts";

const source = `
import { createServer } from "node:http";
console.log("started");
createServer((request, response) => {
  if (request.url === "/exit") process.exit(3);
  response.statusCode = request.url === "/healthz" ? 204 : 200;
  response.end(JSON.stringify({ pid: process.pid, host: process.env.HOSTNAME }));
}).listen(Number(process.env.PORT));
`;
const found = await kubernetesForTests();
const cluster = "unavailable" in found ? undefined : found;
const skip = "unavailable" in found ? found.unavailable : false;
const namespace = `apps-${randomBytes(4).toString("hex")}`;

/** From which the host reaches pods and Services. */
const hostNetwork = "10.199.0.0/24";
const groups: Readonly<Record<string, string>> = {
  deployments: "/apis/apps/v1",
  networkpolicies: "/apis/networking.k8s.io/v1",
};

interface Named {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
}

describe("the orchestrator on Kubernetes", { skip }, () => {
  usePlatforms();
  before(async () => {
    await cluster?.makeNamespace(namespace);
    await pushNodeImage(`${cluster?.registry}/${name}:latest`, source);
  });
  after(async () => {
    await cluster?.removeNamespace(namespace);
    await cluster?.stop();
  });

  const client = () => cluster?.client ?? assert.fail();
  const objects = async (kind: string): Promise<readonly string[]> => {
    const path = `${groups[kind] ?? "/api/v1"}/namespaces/${namespace}/${kind}`;
    const query = { labelSelector: "app.kubernetes.io/managed-by=appserver" };
    const { items } = await client().call<{ readonly items: readonly Named[] }>("GET", path, { query });
    return items.map((item) => item.metadata.name);
  };
  const withApp = async (work: (platform: Platform) => Promise<void>): Promise<void> => {
    const connection = cluster?.connection ?? assert.fail();
    const own = { namespace, connection, plainRegistries: [cluster?.registry ?? ""], pullSecrets: [], drainMs: 0 };
    // The orchestrator and the tests are on the host, outside of the cluster.
    const rules = { gateways: [hostNetwork], storageClass: undefined };
    const runtime = new KubernetesRuntime({ ...own, ...rules, clock: new SystemClock(), logger: silentLogger });
    await withPlatform(
      async (platform) => {
        platform.installed.set(name, quickApp());
        await platform.orchestrator();
        await platform.until("healthy", isHealthy);
        await work(platform);
        platform.installed.delete(name);
        await platform.announce("app.uninstalled");
        // The controllers of the cluster look for its API server each minute after it was away.
        await platform.until("stopped", (seen) => seen?.state === "STOPPED", 150_000);
      },
      { runtime, registry: cluster?.registry ?? "", endpoint: "network", networkPool: "10.213.0.0/16" },
    );
  };
  const reached = (platform: Platform, but = ""): Promise<string> =>
    eventually(
      () => host(platform).catch(() => ""),
      (seen) => seen !== "" && seen !== but,
    );
  const host = async (platform: Platform): Promise<string> => {
    const { endpoint = "" } = await platform.until("healthy", isHealthy);
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(2_000) });
    return ((await response.json()) as { readonly host: string }).host;
  };

  test("an app is installed and serves; a pod that ends or is deleted is counted or replaced; nothing is left of it", async () => {
    await withApp(async (platform) => {
      await platform.untilEvents(fresh);
      const first = await reached(platform);
      const { endpoint = "" } = await platform.until("healthy", isHealthy);
      await fetch(`${endpoint}/exit`).catch(() => {});
      const crashed = await platform.until("the end is recorded", (seen) => seen?.lastCrash !== undefined);
      assert.partialDeepStrictEqual(crashed, { restartCount: 1, lastCrash: { exitCode: 3 } });
      assert.equal(await reached(platform), first, "the same pod");

      await client().call("DELETE", `/api/v1/namespaces/${namespace}/pods/${first}`);
      assert.notEqual(await reached(platform, first), first);
      assert.equal((await platform.until("healthy", isHealthy)).restartCount, 1, "a pod that was deleted is no end of the app");
    });
    for (const kind of ["deployments", "pods", "services", "secrets", "networkpolicies"])
      await eventually(
        () => objects(kind),
        (left) => left.every((object) => object.startsWith("installation-")),
        { what: `no ${kind}` },
      );
  });

  test("while the API server is unreachable nothing changes, and what happened is seen afterwards", async (t) => {
    await withApp(async (platform) => {
      // The machines learn of its address a moment after it is ready.
      await reached(platform);
      await platform.untilEvents(fresh);
      const { endpoint = "" } = await platform.until("healthy", isHealthy);
      const restart = cluster?.killApiServer() ?? assert.fail();
      const end = Date.now() + 60_000;
      while (Date.now() < end) assert.equal((await fetch(`${endpoint}/healthz`)).status, 204);
      await platform.untilEvents(fresh);
      await restart();
      const returnedAt = Date.now();
      await fetch(`${endpoint}/exit`).catch(() => {});
      await platform.until("the end is recorded", (seen) => seen?.lastCrash?.exitCode === 3);
      t.diagnostic(`seen ${Date.now() - returnedAt} ms after its return`);
    });
  });
});
