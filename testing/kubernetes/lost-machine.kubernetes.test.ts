import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, until } from "@appserver/testing/kit";
import { SwitchedApp } from "../faults/switches/switched-app.ts";
import { ClusterPlatform, type ClusterServices, startClusterServices } from "./cluster-platform.ts";
import { InstancesApp } from "./instances-app.ts";

const services = await startClusterServices();
const skip = "unavailable" in services ? services.unavailable : false;
const everyMs = 100;
/** A request with a shorter wait than the grace of a machine. */
const patienceMs = 3_000;
const failingMs = 5_000;
const replacedMs = 90_000;

describe("an app with instances on two machines, of which one is lost", { skip }, () => {
  let platform: ClusterPlatform;
  let app: SwitchedApp;
  before(async () => {
    platform = await ClusterPlatform.start(services as ClusterServices, { servers: 1, orchestrators: 1 });
    app = await SwitchedApp.install(platform, await new InstancesApp().release("1.0.0"), "/instance");
  });
  after(() => platform?.stop());

  test("requests fail for a few seconds at most, and the lost instance is replaced", async (t) => {
    const url = `${platform.httpUrls[0]}${app.path("/instance")}`;
    const failures: number[] = [];
    const sent: Promise<void>[] = [];
    let isSending = true;
    const isServed = async (): Promise<boolean> =>
      await fetch(url, { signal: AbortSignal.timeout(patienceMs) }).then(
        ({ status }) => status === 200,
        () => false,
      );
    const sending = (async () => {
      while (isSending) {
        const at = performance.now();
        sent.push(isServed().then((isOk) => void (isOk || failures.push(at))));
        await sleep(everyMs);
      }
    })();
    await until("both are used", async () => new Set((await platform.pods()).map(({ node }) => node)).size === 2);
    const lost = (await platform.pods()).filter(({ node }) => node === "node2").map(({ name }) => name);
    assert.equal(lost.length, 1);
    const connect = platform.cluster.cutMachine(2);
    const cutAt = performance.now();
    try {
      const areElsewhere = async (): Promise<boolean> => {
        const pods = (await platform.pods()).filter(({ name }) => !lost.includes(name));
        return pods.length === 2 && pods.every(({ node }) => node === "node1");
      };
      await eventually(areElsewhere, (isSo) => isSo, { timeoutMs: replacedMs, what: "replaced" });
      t.diagnostic(`replaced after ${Math.round(performance.now() - cutAt)} ms`);
      await sleep(failingMs);
    } finally {
      connect();
      isSending = false;
      await sending;
      await Promise.all(sent);
    }
    const last = failures.length === 0 ? 0 : Math.max(...failures) - cutAt;
    t.diagnostic(
      `${failures.length} of ${sent.length} requests failed, the last one was sent ${Math.round(last)} ms after the loss`,
    );
    assert.ok(last <= failingMs, `a request that was sent ${last} ms after the loss failed`);
  });
});
